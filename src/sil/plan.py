"""A solution as people read it: what each stop and each route of it is, in columns."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sil.metric import Metric
from sil.problem import Problem
from sil.solution import Solution

Columns = dict[str, NDArray[Any]]


def stops(solution: Solution, problem: Problem) -> Columns:
    """Describe each stop, route by route.

    Returns
    -------
    For each stop: `route` and `position` in it, both from 1; `id`; its coordinates; for CVRP the
    `load` after it, collected since the depot; the `distance` since the depot or, for TSP, since
    the first stop; and, if the problem has times, the `time` of arrival after leaving the depot.
    """
    nodes, starts = solution.nodes, solution.starts
    sizes = np.diff(starts, append=len(nodes))
    first = np.repeat(starts, sizes)  # of the stop's route, (n,)
    previous = np.roll(nodes, 1)
    previous[starts] = 0 if problem.kind == "CVRP" else nodes[starts]
    columns: Columns = {
        "route": np.repeat(np.arange(1, len(starts) + 1), sizes),
        "position": np.arange(len(nodes)) - first + 1,
        "id": nodes if problem.names is None else problem.names[nodes],
    }
    if problem.coords is not None:
        names = ("lat", "lon") if problem.is_on_earth else ("x", "y")
        columns |= {name: problem.coords[nodes, axis] for axis, name in enumerate(names)}
    if problem.demand is not None:
        columns["load"] = _since_first(problem.demand[nodes], starts, sizes)
    columns["distance"] = _since_first(problem.distance(previous, nodes), starts, sizes)
    if _has_times(problem):
        columns["time"] = columns["distance"] / problem.speed
        if problem.service is not None:
            served = _since_first(problem.service[nodes], starts, sizes)
            columns["time"] += served - problem.service[nodes]
    return columns


def routes(solution: Solution, problem: Problem) -> Columns:
    """Describe each route.

    Returns
    -------
    For each route: its number `route`, from 1; the number of its `stops`; for CVRP its `load`; its
    `length`, back to the depot or, for TSP, to the first stop; and, if the problem has times, its
    `duration`.
    """
    nodes, starts = solution.nodes, solution.starts
    columns: Columns = {
        "route": np.arange(1, len(starts) + 1),
        "stops": np.diff(starts, append=len(nodes)),
    }
    if problem.demand is not None:
        columns["load"] = np.add.reduceat(problem.demand[nodes], starts)
    columns["length"] = solution.lengths(problem)
    if _has_times(problem):
        columns["duration"] = solution.durations(problem)
    return columns


def positions(problem: Problem) -> NDArray[np.float64]:
    """Where the nodes are in a picture: to the right and up, shape (dimension, 2)."""
    return problem.layout[:, ::-1] if problem.metric is Metric.GEO else problem.layout


def _since_first(
    values: NDArray[Any], starts: NDArray[np.int32], sizes: NDArray[Any]
) -> NDArray[Any]:
    """Add up the values of each route, up to each of its stops."""
    total = np.cumsum(values)
    before = total[starts] - values[starts]
    found: NDArray[Any] = total - np.repeat(before, sizes)
    return found


def _has_times(problem: Problem) -> bool:
    return problem.service is not None or problem.max_duration is not None or problem.speed != 1
