"""Nearest nodes under any metric, without an n×n matrix."""

import numpy as np
from numpy.typing import NDArray

from sil._native import hilbert_keys
from sil.problem import Metric, Problem, geo_radians


def nearest(problem: Problem, among: NDArray[np.int32], count: int) -> NDArray[np.int32]:
    """Find, for each node of `among`, the nearest others of them.

    Returns
    -------
    Positions within `among`, nearest first, shape (len(among), min(count, len(among) - 1)).
    """
    count = min(count, len(among) - 1)
    if count <= 0:
        return np.zeros((len(among), 0), dtype=np.int32)
    if problem.matrix is not None:
        return _nearest_by_matrix(problem.matrix[np.ix_(among, among)], count)

    # Deferred: scipy.spatial takes longer to import than all of sil.
    from scipy.spatial import KDTree

    # Asking along a space-filling curve keeps the tree in the cache: three times as fast.
    order = np.argsort(hilbert_keys(problem.layout[among]), kind="stable").astype(np.int32)
    points = _points(problem)[among[order]]
    tree = KDTree(points, balanced_tree=False)
    found = np.asarray(tree.query(points, count + 1)[1], dtype=np.int32)
    # Drop the node itself; among many equal points it may not be listed, then drop the farthest.
    itself = found == np.arange(len(among))[:, None]
    itself[~itself.any(axis=1), -1] = True
    result = np.empty((len(among), count), dtype=np.int32)
    result[order] = order[found[~itself].reshape(len(among), count)]
    return result


def _points(problem: Problem) -> NDArray[np.float64]:
    """Points whose straight-line order of distance is that of the metric."""
    assert problem.coords is not None
    if problem.metric is not Metric.GEO:
        return problem.coords
    latitude, longitude = geo_radians(problem.coords).T
    ring = np.cos(latitude)
    return np.stack([ring * np.cos(longitude), ring * np.sin(longitude), np.sin(latitude)], axis=1)


def _nearest_by_matrix(matrix: NDArray[np.float64], count: int) -> NDArray[np.int32]:
    distances = matrix.copy()
    np.fill_diagonal(distances, np.inf)
    return np.argsort(distances, axis=1, kind="stable")[:, :count].astype(np.int32)
