"""Maps of many kinds to learn edges from: what is learned must hold for any map."""

import numpy as np
from numpy.typing import NDArray

from sil.problem import Problem

_NODES_PER_CLUSTER = (20, 400)
_SPREAD = (0.1, 3.0)  # of a cluster, in mean distances between nodes if they lay evenly
_EVEN_SHARE = (0.1, 0.6)  # of the nodes that lie outside of clusters
_NODES_PER_CELL = (0.05, 0.7)  # of a coarse grid, on which many nodes have equal distances


def random_map(least_nodes: int, most_nodes: int, rng: np.random.Generator) -> Problem:
    """Draw a TSP: even, in clusters, in clusters of clusters, or some of each.

    Of the even ones, some have their nodes on a coarse grid, as drilled boards have.
    """
    size = int(rng.integers(least_nodes, most_nodes + 1))
    points = rng.random((size, 2))
    kind = rng.integers(4)
    if kind >= 1:
        points = _clustered(points, rng)
    if kind == 2:
        points = _clustered(points, rng)
    if kind == 3:
        even = rng.random(size) < rng.uniform(*_EVEN_SHARE)
        points[even] = rng.random((int(even.sum()), 2))
    if kind == 0 and rng.random() < 0.4:
        cells = np.sqrt(size / _between(_NODES_PER_CELL, rng))
        points = np.round(points * cells) / cells
    return Problem(points)


def _clustered(points: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Move the points into clusters, with some of them as the centres."""
    size = len(points)
    count = max(1, round(size / _between(_NODES_PER_CLUSTER, rng)))
    centres = points[rng.integers(size, size=count)]
    spread = _between(_SPREAD, rng) / np.sqrt(size)
    moved: NDArray[np.float64] = centres[rng.integers(count, size=size)] + rng.normal(
        0, spread, (size, 2)
    )
    return moved


def _between(bounds: tuple[float, float], rng: np.random.Generator) -> float:
    """Draw a number whose logarithm is uniform."""
    return float(np.exp(rng.uniform(*np.log(bounds))))
