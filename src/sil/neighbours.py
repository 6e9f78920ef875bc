"""Nearest nodes under any metric, without an n×n matrix."""

import numpy as np
from numpy.typing import NDArray

from sil import _native
from sil._native import Interrupt
from sil.errors import StoppedError
from sil.problem import Metric, Problem, geo_radians

_ROWS = 256  # of a matrix at a time, so that a deadline holds


def nearest(
    problem: Problem,
    among: NDArray[np.int32],
    count: int,
    interrupt: Interrupt | None = None,
    threads: int = 1,
) -> NDArray[np.int32]:
    """Find, for each node of `among`, the nearest others of them.

    Raises `StoppedError` when interrupted.

    Returns
    -------
    Positions within `among`, nearest first, shape (len(among), min(count, len(among) - 1)).
    """
    count = max(0, min(count, len(among) - 1))
    if problem.matrix is not None:
        return _nearest_by_matrix(problem.matrix[np.ix_(among, among)], count, interrupt)
    found = _native.nearest(_points(problem)[among], count, threads, interrupt or Interrupt())
    if found is None:
        raise StoppedError
    return found


def spread(
    problem: Problem,
    among: NDArray[np.int32],
    count: int,
    interrupt: Interrupt | None = None,
    threads: int = 1,
) -> NDArray[np.int32]:
    """Find near others in all directions: where nodes cluster, the nearest lie on one side.

    Two of each quadrant come first, as far as the three times `count` nearest go, then the
    nearest of the rest.

    Returns
    -------
    As `nearest`.
    """
    if problem.matrix is not None:
        return nearest(problem, among, count, interrupt, threads)
    found = nearest(problem, among, 3 * count, interrupt, threads)  # (n, up to 3 * count)
    if found.shape[1] <= count:
        return found
    chosen = _native.spread(problem.layout[among], found, count, threads, interrupt or Interrupt())
    if chosen is None:
        raise StoppedError
    return chosen


def _points(problem: Problem) -> NDArray[np.float64]:
    """Points whose straight-line order of distance is that of the metric."""
    assert problem.coords is not None
    if problem.metric is not Metric.GEO:
        return problem.coords
    latitude, longitude = geo_radians(problem.coords).T
    ring = np.cos(latitude)
    return np.stack([ring * np.cos(longitude), ring * np.sin(longitude), np.sin(latitude)], axis=1)


def _nearest_by_matrix(
    matrix: NDArray[np.float64], count: int, interrupt: Interrupt | None
) -> NDArray[np.int32]:
    np.fill_diagonal(matrix, np.inf)
    found = np.empty((len(matrix), count), dtype=np.int32)
    for begin in range(0, len(matrix), _ROWS):
        StoppedError.raise_if(interrupt)
        rows = matrix[begin : begin + _ROWS]
        found[begin : begin + _ROWS] = np.argsort(rows, axis=1, kind="stable")[:, :count]
    return found
