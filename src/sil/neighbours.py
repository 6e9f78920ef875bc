"""Nearest nodes under any metric, without an n×n matrix."""

import numpy as np
from numpy.typing import NDArray

from sil._native import Interrupt, hilbert_keys
from sil.errors import StoppedError
from sil.problem import Metric, Problem, geo_radians

_CHUNK = 65_536  # nodes at a time, to keep memory small


def nearest(
    problem: Problem,
    among: NDArray[np.int32],
    count: int,
    interrupt: Interrupt | None = None,
) -> NDArray[np.int32]:
    """Find, for each node of `among`, the nearest others of them.

    Raises `StoppedError` when interrupted.

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
    result = np.empty((len(among), count), dtype=np.int32)
    for begin in range(0, len(among), _CHUNK):
        StoppedError.raise_if(interrupt)
        here = np.arange(begin, min(begin + _CHUNK, len(among)))
        found = np.asarray(tree.query(points[here], count + 1, workers=-1)[1], dtype=np.int32)
        # Drop the node itself; among many equal points it may not be listed, then drop the
        # farthest.
        itself = found == here[:, None]
        itself[~itself.any(axis=1), -1] = True
        result[order[here]] = order[found[~itself].reshape(len(here), count)]
    return result


def spread(
    problem: Problem,
    among: NDArray[np.int32],
    count: int,
    interrupt: Interrupt | None = None,
) -> NDArray[np.int32]:
    """Find near others in all directions: where nodes cluster, the nearest lie on one side.

    Two of each quadrant come first, as far as the three times `count` nearest go, then the
    nearest of the rest.

    Returns
    -------
    As `nearest`.
    """
    if problem.matrix is not None:
        return nearest(problem, among, count, interrupt)
    found = nearest(problem, among, 3 * count, interrupt)  # (n, up to 3 * count)
    width = found.shape[1]
    if width <= count:
        return found
    chosen = np.empty((len(among), count), dtype=np.int32)
    for begin in range(0, len(among), _CHUNK):
        StoppedError.raise_if(interrupt)
        rows = slice(begin, begin + _CHUNK)
        here, others = problem.layout[among[rows]], problem.layout[among[found[rows]]]
        quadrant = (others >= here[:, None]) @ np.array([1, 2])  # (chunk, width)
        place = np.broadcast_to(np.arange(width), quadrant.shape)
        later = np.ones(quadrant.shape, dtype=np.bool_)
        for number in range(4):
            mine = quadrant == number
            later &= ~(mine & (np.cumsum(mine, axis=1) <= 2))
        order = np.argsort(place + width * later, axis=1)[:, :count]
        chosen[rows] = np.take_along_axis(found[rows], np.sort(order, axis=1), axis=1)
    return chosen


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
