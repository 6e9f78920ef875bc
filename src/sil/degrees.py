"""Tells longitudes and latitudes that are taken for points in a plane."""

import numpy as np
from numpy.typing import NDArray

from sil.problem import Metric, Problem

_PLANAR = (Metric.EUCLIDEAN, Metric.EUC_2D, Metric.CEIL_2D, Metric.ATT)
_HINT = (
    "the coordinates look like longitude and latitude in degrees, but {metric} measures them as "
    "points in a plane: a degree of longitude is shorter than one of latitude, except at the "
    "equator; if they are degrees, project them first, for example to UTM in metres"
)


def degrees_hint(problem: Problem) -> str | None:
    """Say so if a problem looks as if its coordinates were degrees; None if it does not.

    Degrees are no larger than 180 and 90 and have some decimals. Numbers between -1 and 1 are
    more likely scaled ones. Beyond that, degrees show themselves by lying far from zero for their
    extent, as those of a town do, or by having four to eight decimals, as they are usually
    written, while random numbers have more; but known instances whose distances are rounded, such
    as Golden_17, look like that, too.
    """
    if problem.coords is None or problem.metric not in _PLANAR or len(problem.coords) < 3:
        return None
    coords = problem.coords.T.copy()  # numpy is slow along short rows
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
    """Whether most numbers have so many decimals."""
    return bool((np.abs(coords - np.round(coords, least - 1)) > 1e-9).mean() > 0.5)


def _ends_at(coords: NDArray[np.float64], most: int) -> bool:
    """Whether no number has more decimals."""
    return bool((np.abs(coords - np.round(coords, most)) < 1e-11).all())
