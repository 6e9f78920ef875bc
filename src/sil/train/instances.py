"""The instances that a stage trains and validates on."""

import numpy as np

from sil.generate import Distribution, generate_cvrp, generate_tsp
from sil.memory import require_memory
from sil.problem import Problem
from sil.train.config import Stage, TrainConfig

_BYTES_A_NODE = 64  # coordinates, demand and two solutions, in memory and on their way to the disk


def draw_problem(config: TrainConfig, stage: Stage, seeds: tuple[int, ...]) -> Problem:
    """Draw an instance of a stage; equal seeds give equal instances."""
    rng = np.random.default_rng((config.seed, *seeds))
    weights = stage.distributions or {Distribution.UNIFORM: 1.0}
    shares = np.array(list(weights.values())) / sum(weights.values())
    distribution = Distribution(str(rng.choice(list(weights), p=shares)))
    seed = int(rng.integers(2**62))
    if config.policy.problem == "TSP":
        return generate_tsp(stage.nodes, seed, distribution)
    capacity = int(rng.choice(stage.capacities)) if stage.capacities else None
    return generate_cvrp(stage.nodes, seed, distribution, capacity)


def require_room(config: TrainConfig) -> None:
    """Find out before the work that the instances of a stage do not fit into memory."""
    for number, stage in enumerate(config.stages, start=1):
        count = max(stage.instances, 2 * stage.validation)
        what = f"stage {number}, with {count:,} instances of {stage.nodes:,} nodes,"
        require_memory(count * stage.nodes * _BYTES_A_NODE, what)
