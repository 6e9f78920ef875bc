"""Says in words what an instance is like: its extent, its clusters, its demands, its far places."""

import numpy as np
from numpy.typing import NDArray

from sil.metric import Metric
from sil.neighbours import nearest_to_visit
from sil.problem import Problem
from sil.units import duration_text, length_text

# Mean distance to the nearest neighbour, in units of what chance gives (Clark and Evans, 1954).
_CLUSTERED, _REGULAR = 0.75, 1.3
_FAR = 3.0  # times the median distance


def describe(problem: Problem) -> list[str]:
    """Return sentences about a problem; lengths and times have units where distances do."""
    sentences = [_extent(problem)]
    if problem.matrix is None and problem.num_nodes >= 20:
        sentences.append(_pattern(problem))
    if problem.demand is not None and problem.capacity is not None:
        sentences += [_demands(problem.demand[1:], problem.capacity, problem.fewest_routes)]
        sentences += _from_depot(problem)
    return sentences + _limits(problem)


def _extent(problem: Problem) -> str:
    what = "places to visit" if problem.kind == "TSP" else "customers"
    if problem.matrix is not None:
        return f"{problem.num_nodes:,} {what} with a matrix of distances."
    if problem.metric is Metric.GEO:
        return f"{problem.num_nodes:,} {what} at degrees and minutes."
    width, height = np.ptp(problem.layout[problem.nodes], axis=0)
    if problem.metric is Metric.HAVERSINE:
        area = f"{length_text(problem, width)} by {length_text(problem, height)}"
    else:
        area = f"{width:,.6g} by {height:,.6g}"
    return f"{problem.num_nodes:,} {what} in an area of {area}."


def _pattern(problem: Problem) -> str:
    """Compare the distances to the nearest neighbours with those of random places."""
    at = problem.layout[problem.nodes]
    near = nearest_to_visit(problem, 1).lists[problem.nodes, 0]
    apart = np.linalg.norm(problem.layout[near] - at, axis=1)
    area = float(np.prod(np.ptp(at, axis=0)))
    same = int((apart == 0).sum())
    shared = f" {same:,} share their place with another." if same else ""
    if area == 0:
        return f"They lie on a line.{shared}"
    index = float(apart.mean()) / (0.5 * np.sqrt(area / len(at)))
    pattern = "spread as if at random"
    if index < _CLUSTERED:
        pattern = "clustered"
    elif index > _REGULAR:
        pattern = "spread evenly, like a grid"
    return f"They are {pattern}.{shared}"


def _demands(demand: NDArray[np.int64], capacity: int, fewest: int) -> str:
    low, high, mean = int(demand.min()), int(demand.max()), float(demand.mean())
    each = f"They demand {low:,} to {high:,}, {mean:,.1f} on average"
    if low == high:
        each = f"Each demands {low:,}"
    stops = f", so a vehicle serves about {capacity / mean:,.0f}" if mean else ""
    return (
        f"{each}; the capacity is {capacity:,}{stops}. At least {fewest:,} "
        f"route{'s are' if fewest > 1 else ' is'} needed."
    )


def _from_depot(problem: Problem) -> list[str]:
    away = problem.distance(0, problem.nodes)
    median, farthest = float(np.median(away)), int(np.argmax(away))
    name = problem.name_of(int(problem.nodes[farthest]))
    sentence = (
        f"Half of them are within {length_text(problem, median)} of the depot, the farthest "
        f"({name}) is {length_text(problem, float(away[farthest]))} away"
    )
    far = int((away > _FAR * median).sum())
    more = f"; {far:,} {'is' if far == 1 else 'are'} more than {_FAR:g} times as far as that"
    return [f"{sentence}{more if far else ''}."]


def _limits(problem: Problem) -> list[str]:
    limits = []
    if problem.max_distance is not None:
        limits.append(f"at most {length_text(problem, problem.max_distance)} long")
    if problem.max_duration is not None:
        limits.append(f"at most {duration_text(problem, problem.max_duration)} long in time")
    if problem.max_vehicles is not None:
        limits.append(f"at most {problem.max_vehicles:,} in number")
    return [f"Routes are {' and '.join(limits)}."] if limits else []
