"""Warm-up by reinforcement on small instances (paper, appendix Warm Up Stage).

The native engine draws solutions. PyTorch then minimises the cross-entropy of their decoding
states, weighted by how much shorter the solution is than the mean over its instance.
"""

import numpy as np

from sil.partial import PartialSolutions
from sil.problem import Problem
from sil.train.config import WarmUp
from sil.train.examples import every_example
from sil.train.fit import Fitter


def reinforce(fitter: Fitter, settings: WarmUp, seeds: tuple[int, ...], threads: int) -> float:
    """Take one step of policy gradient with a shared baseline; return the mean cost.

    Parameters
    ----------
    fitter
        The policy.
    settings
        Size and number of the instances.
    seeds
        Equal seeds give equal steps.
    threads
        For drawing solutions.
    """
    rng = np.random.default_rng(seeds)
    config = fitter.policy.config
    problem, unsolved = _from_every_start(config.problem == "CVRP", settings, rng)
    seed = int(rng.integers(2**62))
    solved = fitter.engine().rebuild(problem, unsolved, sample=True, seed=seed, threads=threads)
    costs = solved.costs(problem).reshape(settings.batch, settings.starts)
    if solved.via_depot is not None:
        # The leg from the depot to the first customer is not part of a partial solution.
        first = solved.nodes[:, 0].reshape(costs.shape)
        costs += problem.distance(np.zeros_like(first), first)
    better = costs.mean(axis=1, keepdims=True) - costs  # compared with the baseline
    steps = solved.nodes.shape[1] - 2
    # The paper's gradient: a sum over the steps of a solution, a mean over solutions.
    weight = np.repeat(better.ravel(), steps) / costs.size
    fitter.step(every_example(problem, solved, config), settings.rate, weight)
    return float(costs.mean())


def _from_every_start(
    with_demand: bool, settings: WarmUp, rng: np.random.Generator
) -> tuple[Problem, PartialSolutions]:
    """Draw instances, and for each of them unsolved tours that start at different nodes.

    All instances share one square and one depot, so that together they form a single problem.
    """
    size, first = settings.nodes, int(with_demand)
    count = settings.batch * size
    coords = rng.random((first + count, 2))
    ring = np.arange(first, first + count, dtype=np.int32).reshape(settings.batch, 1, size)
    begin = rng.integers(size) + np.arange(settings.starts)  # (starts,)
    turned = (begin[:, None] + np.arange(size)) % size  # (starts, size)
    nodes = np.take_along_axis(ring, turned[None], axis=2).reshape(-1, size)
    if not with_demand:
        return Problem(coords), PartialSolutions(np.column_stack([nodes, nodes[:, 0]]))
    demand = np.concatenate([[0], rng.integers(1, 10, count)])
    nodes = np.column_stack([nodes, np.zeros(len(nodes), dtype=np.int32)])
    nothing = np.zeros(len(nodes), dtype=np.int64)
    via_depot = np.ones(nodes.shape, dtype=np.bool_)
    problem = Problem(coords, demand, settings.capacity)
    return problem, PartialSolutions(nodes, via_depot, nothing, nothing)
