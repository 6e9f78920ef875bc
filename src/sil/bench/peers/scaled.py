"""Whole-number distances for solvers that take nothing else."""

import numpy as np
from numpy.typing import NDArray

from sil.problem import Metric, Problem

LARGEST = 1_000_000  # units across the map, fine enough that rounding does not show in a gap
_ROWS = 256


def scaled_coords(problem: Problem, largest: int = LARGEST) -> NDArray[np.int64]:
    """Place the nodes on a grid of whole numbers, `largest` units across, shape (n, 2)."""
    low = problem.layout.min(axis=0)
    side = float((problem.layout.max(axis=0) - low).max()) or 1.0
    coords: NDArray[np.int64] = np.rint((problem.layout - low) / side * largest).astype(np.int64)
    return coords


def whole_distances(problem: Problem) -> NDArray[np.int64]:
    """All distances as whole numbers, shape (n, n): what makes these solvers end at some size."""
    size = problem.dimension
    try:
        matrix = np.empty((size, size), dtype=np.int64)
    except MemoryError as error:
        needed = size**2 * np.dtype(np.int64).itemsize / 2**30
        raise MemoryError(f"the matrix of all distances would take {needed:.1f} GiB") from error
    scale = 1.0
    if not problem.is_integral:
        spread = problem.layout.max(axis=0) - problem.layout.min(axis=0)
        scale = LARGEST / (float(spread.max()) or 1.0)
    if problem.metric is Metric.EUCLIDEAN:
        from scipy.spatial.distance import cdist

        for begin in range(0, size, _ROWS):  # quicker than row by row, and without a second matrix
            rows = slice(begin, begin + _ROWS)
            matrix[rows] = np.rint(cdist(problem.layout[rows], problem.layout) * scale)
        return matrix
    everyone = np.arange(size)
    for node in range(size):
        matrix[node] = np.rint(np.asarray(problem.distance(node, everyone)) * scale)
    return matrix
