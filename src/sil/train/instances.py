"""Where the instances of a run come from: generated, given, or drawn by a function."""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from sil import io
from sil.errors import InputError, excerpt
from sil.generate import Distribution, generate_cvrp, generate_tsp
from sil.memory import require_memory
from sil.metric import Metric
from sil.problem import Problem
from sil.reconstruct.cut import SHORTEST
from sil.train.config import Stage, TrainConfig
from sil.train.seeds import Purpose, derived_seed

Draw = Callable[[int, int], Problem]
Problems = Iterable[Problem | str | Path] | Draw

_BYTES_PER_NODE = 64  # coordinates, demand and two solutions, in memory and while being written
_MEDIAN_DEMAND = 3.0  # of uneven demands; their mean is then about 5, as of others
_HELD_OUT = 5  # of given instances, at most one in this many is held out for validation


class Instances(ABC):
    """The instances of a run, stage by stage.

    Parameters
    ----------
    config
        The run.
    """

    # What tells these instances from others; None for those that the configuration describes.
    identity: str | None = None

    def __init__(self, config: TrainConfig) -> None:
        self._config = config

    @abstractmethod
    def training(self, stage: int) -> Iterable[Problem]:
        """Return the instances to train on in a stage, counted from 0; always the same ones."""

    @abstractmethod
    def validation(self, stage: int) -> list[Problem]:
        """Return the instances to validate on in a stage, which are not trained on."""

    def num_training(self, stage: int) -> int:
        """Return how many instances a stage trains on."""
        return self._config.stages[stage].instances

    def num_validation(self, stage: int) -> int:
        """Return how many instances a stage validates on."""
        return self._config.stages[stage].validation

    def nodes(self, stage: int) -> int:
        """Return the expected size of the largest instance of a stage."""
        return self._config.stages[stage].nodes

    def require_memory(self) -> None:
        """Raise an error now if the instances of any stage do not fit into memory later."""
        for stage in range(len(self._config.stages)):
            count = max(self.num_training(stage), 2 * self.num_validation(stage))
            nodes = self.nodes(stage)
            what = f"stage {stage + 1}, with {count:,} instances of {nodes:,} nodes,"
            require_memory(count * nodes * _BYTES_PER_NODE, what)


class GeneratedInstances(Instances):
    """Random instances as the configuration describes them."""

    def training(self, stage: int) -> Iterable[Problem]:
        """Draw the instances to train on, one after the other."""
        count = self.num_training(stage)
        return (self._drawn(stage, Purpose.LABELS, index) for index in range(count))

    def validation(self, stage: int) -> list[Problem]:
        """Draw the instances to validate on."""
        count = self.num_validation(stage)
        return [self._drawn(stage, Purpose.VALIDATION, index) for index in range(count)]

    def _drawn(self, stage: int, purpose: Purpose, index: int) -> Problem:
        settings = self._config.stages[stage]
        rng = np.random.default_rng((self._config.seed, stage, purpose, index))
        return _generate(settings, self._config.policy.problem, rng)


class DrawnInstances(GeneratedInstances):
    """Instances drawn by a function of the user's.

    Parameters
    ----------
    config
        The run.
    draw
        Called with the `nodes` of a stage and a seed. Equal arguments must give equal problems:
        this is tried with the first one.
    """

    def __init__(self, config: TrainConfig, draw: Draw) -> None:
        super().__init__(config)
        self._draw = draw
        first, again = (_digest([self._drawn(0, Purpose.LABELS, 0)]) for _ in range(2))
        if first != again:
            raise InputError(
                "the function that draws problems gave different ones for the same arguments: draw "
                "everything random from the seed, so that an interrupted run can be resumed"
            )
        self.identity = f"drawn by a function, the first has checksum {first}"

    def _drawn(self, stage: int, purpose: Purpose, index: int) -> Problem:
        nodes = self._config.stages[stage].nodes
        problem = self._draw(nodes, derived_seed(self._config.seed, stage, purpose, index))
        return _prepared(problem, self._config, "what the function that draws problems returned")


class GivenInstances(Instances):
    """A fixed list of instances, the same in every stage; some are held out for validation.

    Parameters
    ----------
    config
        The run.
    problems
        At least two, of any size. A stage holds out as many as its `validation` says, but at most
        one in five, spread evenly over the list.
    """

    def __init__(self, config: TrainConfig, problems: Sequence[Problem]) -> None:
        super().__init__(config)
        if len(problems) < 2:
            raise InputError(
                f"{len(problems)} problems are too few: at least two are needed, one to train on "
                "and one to validate on"
            )
        self._problems = problems
        self.identity = f"{len(problems)} given ones, checksum {_digest(problems)}"

    def training(self, stage: int) -> Iterable[Problem]:
        """Return the instances to train on."""
        held_out = self._held_out(stage)
        return [each for index, each in enumerate(self._problems) if index not in held_out]

    def validation(self, stage: int) -> list[Problem]:
        """Return the instances that are held out."""
        return [self._problems[index] for index in self._held_out(stage)]

    def num_training(self, stage: int) -> int:
        """Return how many instances are left to train on."""
        return len(self._problems) - self.num_validation(stage)

    def num_validation(self, stage: int) -> int:
        """Return how many instances are held out."""
        return min(super().num_validation(stage), max(1, len(self._problems) // _HELD_OUT))

    def nodes(self, stage: int) -> int:
        """Return the size of the largest instance."""
        del stage
        return max(problem.num_nodes for problem in self._problems)

    def _held_out(self, stage: int) -> list[int]:
        count = self.num_validation(stage)
        return [(2 * place + 1) * len(self._problems) // (2 * count) for place in range(count)]


def instances_for(config: TrainConfig, problems: Problems | None) -> Instances:
    """Choose the instances of a run.

    Parameters
    ----------
    config
        The run.
    problems
        See `sil.train_policy`; None for generated instances.
    """
    if problems is None:
        return GeneratedInstances(config)
    if callable(problems):
        return DrawnInstances(config, problems)
    if isinstance(problems, (str, Path, Problem)):
        problems = [problems]
    if not isinstance(problems, Iterable):
        raise InputError(
            f"problems is {excerpt(problems)}: give files, problems, or a function that draws them"
        )
    most = None
    if not isinstance(problems, Sequence):
        # It may never end.
        most = max(stage.instances + stage.validation for stage in config.stages)
    return GivenInstances(config, [_given(each, config) for each in islice(problems, most)])


def _generate(stage: Stage, kind: str, rng: np.random.Generator) -> Problem:
    weights = stage.distributions or {Distribution.UNIFORM: 1.0}
    shares = np.array(list(weights.values())) / sum(weights.values())
    distribution = Distribution(str(rng.choice(list(weights), p=shares)))
    seed = int(rng.integers(2**62))
    if kind == "TSP":
        return generate_tsp(stage.nodes, seed, distribution)
    capacity = int(rng.choice(stage.capacities)) if stage.capacities else None
    problem = generate_cvrp(stage.nodes, seed, distribution, capacity)
    if rng.random() < stage.far_depots:
        problem = _with_far_depot(problem, rng)
    if rng.random() < stage.uneven:
        problem = _with_uneven_demands(problem, rng)
    return problem


def _with_far_depot(problem: Problem, rng: np.random.Generator) -> Problem:
    """Move the depot out of the square, as in regions that are served from a far city."""
    assert problem.coords is not None
    angle, away = rng.uniform(0, 2 * np.pi), rng.uniform(1.0, 3.0)
    depot = 0.5 + away * np.array([[np.cos(angle), np.sin(angle)]])
    return problem.replace(coords=np.concatenate([depot, problem.coords[1:]]))


def _with_uneven_demands(problem: Problem, rng: np.random.Generator) -> Problem:
    """Draw demands of which a few are many times the usual one."""
    assert problem.capacity is not None
    drawn = np.ceil(_MEDIAN_DEMAND * rng.lognormal(0, 1, problem.num_nodes))
    demand = np.minimum(drawn, max(1, problem.capacity // 2)).astype(np.int64)
    return problem.replace(demand=np.append(0, demand))


def _given(problem: Problem | str | Path, config: TrainConfig) -> Problem:
    if isinstance(problem, (str, Path)):
        return _prepared(io.read(problem), config, str(problem))
    return _prepared(problem, config, excerpt(problem))


def _prepared(problem: Problem, config: TrainConfig, where: str) -> Problem:
    """Check an instance and scale it to the unit square, so that all count alike in mean gaps."""
    if not isinstance(problem, Problem):
        raise InputError(f"{where}: this is not a problem but {excerpt(problem)}")
    if problem.kind != config.policy.problem:
        raise InputError(
            f"{where}: this is a {problem.kind}, and the policy is for {config.policy.problem}"
        )
    if problem.num_nodes < SHORTEST:
        raise InputError(f"{where}: a problem to train on needs at least {SHORTEST} nodes")
    if problem.coords is None or not problem.metric.is_planar:
        raise InputError(
            f"{where}: the metric is {problem.metric}, and training needs one of "
            f"{', '.join(metric for metric in Metric if metric.is_planar)}"
        )
    if problem.has_route_limits:
        raise InputError(f"{where}: training does not know limits on the length of routes")
    lowest = problem.coords.min(axis=0)
    extent = float((problem.coords - lowest).max()) or 1.0
    coords = (problem.coords - lowest) / extent
    return problem.replace(coords=coords, metric=Metric.EUCLIDEAN)


def _digest(problems: Iterable[Problem]) -> str:
    """Return a short checksum of problems and their order."""
    digest = hashlib.sha256()
    for problem in problems:
        digest.update(f"{problem.dimension} {problem.capacity} ".encode())
        digest.update(problem.layout.tobytes())
        if problem.demand is not None:
            digest.update(problem.demand.tobytes())
    return digest.hexdigest()[:16]
