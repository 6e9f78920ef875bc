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


def random_solution(problem: Problem, seed: int) -> Solution:
    """A valid solution without any sense: random order, routes closed at random or when full."""
    rng = np.random.default_rng(seed)
    nodes = rng.permutation(problem.nodes)
    if problem.demand is None or problem.capacity is None:
        return Solution(nodes)
    via_depot = rng.random(len(nodes)) < 0.1
    via_depot[0] = True
    load = 0
    for i, node in enumerate(nodes):
        load = 0 if via_depot[i] else load
        if load + problem.demand[node] > problem.capacity:
            via_depot[i], load = True, 0
        load += int(problem.demand[node])
    return Solution(nodes, via_depot)
