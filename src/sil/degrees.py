"""Recognises longitudes and latitudes that are used like points in a plane."""

import numpy as np
from numpy.typing import NDArray

from sil.metric import Metric
from sil.problem import Problem

_HINT = (
    "the coordinates look like longitude and latitude in degrees, but {metric} treats them as "
    "points in a plane, although a degree of longitude is shorter than a degree of latitude; if "
    "they are degrees, give latitude before longitude and use the metric HAVERSINE"
)


def degrees_hint(problem: Problem) -> str | None:
    """Return a hint if the coordinates of a problem look like degrees; None otherwise.

    Degrees are at most 180 and 90 in size and have decimals. Numbers between -1 and 1 are more
    likely scaled coordinates. There are two further signs. The coordinates may be far from zero
    relative to their extent, as those of a town are. Or they have four to eight decimals, the usual
    notation; random numbers have more. The second sign counts only for unrounded distances, because
    known instances with rounded distances, such as Golden_17, look like this, too.
    """
    if problem.coords is None or not problem.metric.is_planar or len(problem.coords) < 3:
        return None
    coords = problem.coords.T.copy()  # numpy is slow on short rows
    size = np.abs(coords)
    high = np.sort(size.max(axis=1))
    if high[0] > 90 or high[1] > 180 or high[1] <= 1:
        return None
    extent = np.ptp(coords, axis=1)
    away = bool((extent < size.min(axis=1)).any() and (extent > 0).all())
    usual = problem.metric is Metric.EUCLIDEAN and _has_decimals(coords, 4) and _ends_at(coords, 8)
    if usual or (away and _has_decimals(coords, 3)):
        return _HINT.format(metric=problem.metric)
    return None


def _has_decimals(coords: NDArray[np.float64], least: int) -> bool:
    """Whether most numbers have at least this many decimals."""
    return bool((np.abs(coords - np.round(coords, least - 1)) > 1e-9).mean() > 0.5)


def _ends_at(coords: NDArray[np.float64], most: int) -> bool:
    """Whether no number has more decimals than this."""
    return bool((np.abs(coords - np.round(coords, most)) < 1e-11).all())
