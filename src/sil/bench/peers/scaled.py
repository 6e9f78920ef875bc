"""Whole-number distances for solvers that take nothing else."""

import numpy as np
from numpy.typing import NDArray

from sil.problem import Problem

_LARGEST = 1_000_000  # units across the map, fine enough that rounding does not show in a gap


def scaled_coords(problem: Problem) -> NDArray[np.int64]:
    """Place the nodes on a grid of whole numbers, shape (n, 2)."""
    low = problem.layout.min(axis=0)
    side = float((problem.layout.max(axis=0) - low).max()) or 1.0
    coords: NDArray[np.int64] = np.rint((problem.layout - low) / side * _LARGEST).astype(np.int64)
    return coords


def whole_distances(problem: Problem) -> NDArray[np.int64]:
    """All distances as whole numbers, shape (n, n): what makes these solvers end at some size."""
    size = problem.dimension
    matrix = np.empty((size, size), dtype=np.int64)
    scale = 1.0
    if not problem.is_integral:
        spread = problem.layout.max(axis=0) - problem.layout.min(axis=0)
        scale = _LARGEST / (float(spread.max()) or 1.0)
    everyone = np.arange(size)
    for node in range(size):
        matrix[node] = np.rint(np.asarray(problem.distance(node, everyone)) * scale)
    return matrix
