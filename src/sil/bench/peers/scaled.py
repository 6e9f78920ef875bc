"""Integer distances for solvers that accept nothing else."""

import numpy as np
from numpy.typing import NDArray

from sil.metric import Metric
from sil.problem import Problem

LARGEST = 1_000_000  # grid width, fine enough that rounding is not visible in a gap
_ROWS = 256


def scaled_coords(problem: Problem, largest: int = LARGEST) -> NDArray[np.int64]:
    """Place the nodes on an integer grid that is `largest` units wide, shape (n, 2)."""
    low = problem.layout.min(axis=0)
    side = float((problem.layout.max(axis=0) - low).max()) or 1.0
    coords: NDArray[np.int64] = np.rint((problem.layout - low) / side * largest).astype(np.int64)
    return coords


def whole_distances(problem: Problem) -> NDArray[np.int64]:
    """All distances as integers, shape (n, n); this limits the size that such solvers can take."""
    size = problem.dimension
    try:
        matrix = np.empty((size, size), dtype=np.int64)
    except MemoryError as error:
        needed = size**2 * np.dtype(np.int64).itemsize / 2**30
        raise MemoryError(f"the matrix of all distances would need {needed:.1f} GiB") from error
    scale = 1.0
    if not problem.is_integral:
        spread = problem.layout.max(axis=0) - problem.layout.min(axis=0)
        scale = LARGEST / (float(spread.max()) or 1.0)
    if problem.metric is Metric.EUCLIDEAN:
        from scipy.spatial.distance import cdist

        for begin in range(0, size, _ROWS):  # faster than single rows, and without a second matrix
            rows = slice(begin, begin + _ROWS)
            matrix[rows] = np.rint(cdist(problem.layout[rows], problem.layout) * scale)
        return matrix
    everyone = np.arange(size)
    for node in range(size):
        matrix[node] = np.rint(np.asarray(problem.distance(node, everyone)) * scale)
    return matrix
