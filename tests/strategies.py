"""Hypothesis strategies for small, awkward problems and their solutions."""

import numpy as np
from hypothesis import strategies as st

from sil import Metric, Problem, Solution

PLANAR = [Metric.EUCLIDEAN, Metric.EUC_2D, Metric.CEIL_2D, Metric.ATT]


@st.composite
def problems(draw, kind: str | None = None, min_nodes: int = 1, max_nodes: int = 25):
    """Any metric; duplicate and collinear points are common; capacities are often tight."""
    kind = kind or draw(st.sampled_from(["TSP", "CVRP"]))
    size = draw(st.integers(min_nodes, max_nodes)) + (kind == "CVRP")
    metric = draw(st.sampled_from(list(Metric)))
    seed = draw(st.integers(0, 2**32 - 1))
    grid = draw(st.sampled_from([1, 3, 80, 10_000]))
    rng = np.random.default_rng(seed)
    coords = rng.integers(0, grid, (size, 2)).astype(float)
    if metric is Metric.GEO:
        degrees = coords / grid * 120 - 60
        minutes = 0.59 * (degrees - np.trunc(degrees))
        coords = np.round(np.trunc(degrees) + minutes, 2)
    if metric is Metric.HAVERSINE:
        coords = coords / grid * (180, 360) - (90, 180)
    if draw(st.booleans()):
        coords[:, 1] = 0.0
    if metric is Metric.EUCLIDEAN:
        coords = coords / grid
    matrix = None
    if metric is Metric.EXPLICIT:
        half = np.triu(rng.integers(0, 100, (size, size)).astype(float), 1)
        matrix = half + half.T
        if draw(st.booleans()):
            coords = None
    demand = capacity = None
    if kind == "CVRP":
        demand = rng.integers(0 if draw(st.booleans()) else 1, 10, size)
        demand[0] = 0
        tight = max(1, int(demand.max()))
        capacity = draw(st.sampled_from([tight, tight + 1, 3 * tight, 10 * tight * size]))
    return Problem(coords, demand, capacity, metric, matrix, name=f"p{seed}")


@st.composite
def limited_problems(draw, min_nodes: int = 2, max_nodes: int = 25):
    """CVRPs whose routes have a greatest length, a greatest duration, or both, often tight."""
    problem = draw(problems("CVRP", min_nodes, max_nodes))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    changes = {"speed": draw(st.sampled_from([1.0, 0.3, 14.0]))}
    farthest = 2 * float(np.max(problem.distance(0, np.arange(problem.dimension)))) or 1.0
    slack = draw(st.sampled_from([1.0, 1.3, 3.0]))
    kinds = draw(st.sampled_from([("distance",), ("duration",), ("distance", "duration")]))
    if "distance" in kinds:
        changes["max_distance"] = farthest * slack
    if "duration" in kinds:
        shift = farthest / changes["speed"]
        service = rng.random(problem.dimension) * shift * draw(st.sampled_from([0.0, 0.2]))
        service[0] = 0
        changes |= {"service": service, "max_duration": (shift + service.max()) * slack}
    return problem.replace(**changes)


def random_solution(problem: Problem, seed: int) -> Solution:
    """A valid solution without any sense: random order, routes closed at random or when full."""
    rng = np.random.default_rng(seed)
    nodes = rng.permutation(problem.nodes)
    if problem.demand is None or problem.capacity is None:
        return Solution(nodes)
    routes: list[list[int]] = []
    for node in nodes.tolist():
        longer = [*routes[-1], node] if routes and rng.random() >= 0.1 else [node]
        if len(longer) > 1 and not _may_be_a_route(problem, longer):
            longer = [node]
        routes[len(routes) - (len(longer) > 1) :] = [longer]
    return Solution.from_routes(routes)


def _may_be_a_route(problem: Problem, route: list[int]) -> bool:
    if problem.demand[route].sum() > problem.capacity:
        return False
    ring = [0, *route, 0]
    length = problem.distance(ring[:-1], ring[1:]).sum()
    time = length / problem.speed + (0 if problem.service is None else problem.service[route].sum())
    return length <= (problem.max_distance or np.inf) and time <= (problem.max_duration or np.inf)
