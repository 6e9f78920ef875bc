"""How distances follow from coordinates, in numpy; ``_native/core/geometry.h`` has the same."""

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from sil.errors import InputError
from sil.sphere import EARTH_RADIUS, great_circle


class Metric(StrEnum):
    """How distances are computed.

    TSPLIB95 defines all of these but EUCLIDEAN, which does not round, and HAVERSINE: metres along
    great circles between latitudes and longitudes in decimal degrees (`sil.sphere`).
    """

    EUCLIDEAN = "EUCLIDEAN"
    EUC_2D = "EUC_2D"
    CEIL_2D = "CEIL_2D"
    ATT = "ATT"
    GEO = "GEO"
    HAVERSINE = "HAVERSINE"
    EXPLICIT = "EXPLICIT"

    @property
    def is_planar(self) -> bool:
        """Whether coordinates are points in a plane."""
        return self not in (Metric.GEO, Metric.HAVERSINE, Metric.EXPLICIT)


def distance(
    metric: Metric, a: NDArray[np.float64], b: NDArray[np.float64], detour: float = 1.0
) -> NDArray[np.float64]:
    """Distances between places `a` and `b`, each of shape (..., 2).

    The `detour` multiplies the distances of HAVERSINE.
    """
    if metric is Metric.GEO:
        return _geo_distance(geo_radians(a), geo_radians(b))
    if metric is Metric.HAVERSINE:
        return detour * great_circle(a, b)
    delta = a - b
    square: NDArray[np.float64] = delta[..., 0] ** 2 + delta[..., 1] ** 2
    if metric is Metric.ATT:
        return np.ceil(np.sqrt(square / 10.0))
    length: NDArray[np.float64] = np.sqrt(square)
    if metric is Metric.EUC_2D:
        return np.floor(length + 0.5)
    return np.ceil(length) if metric is Metric.CEIL_2D else length


def longest_distance(metric: Metric, coords: NDArray[np.float64], detour: float) -> float:
    """Return a bound on all distances between the places."""
    if metric is Metric.GEO:
        return 20_040.0  # halfway around the earth
    if metric is Metric.HAVERSINE:
        return float(np.pi * EARTH_RADIUS * detour)
    width, height = (np.ptp(coords[:, axis]) for axis in (0, 1))
    return float(np.hypot(width, height)) + 1.0


def geo_radians(coords: NDArray[np.float64]) -> NDArray[np.float64]:
    """Latitude and longitude in radians from TSPLIB's DDD.MM, with TSPLIB's value of pi."""
    degrees = np.trunc(coords)
    return 3.141592 * (degrees + 5.0 * (coords - degrees) / 3.0) / 180.0


def _geo_distance(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    q1 = np.cos(a[..., 1] - b[..., 1])
    q2 = np.cos(a[..., 0] - b[..., 0])
    q3 = np.cos(a[..., 0] + b[..., 0])
    cosine = 0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3)
    return np.floor(6378.388 * np.arccos(np.clip(cosine, -1.0, 1.0)) + 1.0)


def require_on_earth(metric: Metric, coords: NDArray[np.float64]) -> None:
    """Refuse coordinates of the metrics GEO and HAVERSINE that cannot be places on the earth."""
    if metric not in (Metric.GEO, Metric.HAVERSINE):
        return
    beyond = (np.abs(coords) > (90, 180)).any(axis=1)
    if beyond.any():
        node = int(np.argmax(beyond))
        raise InputError(
            f"coordinates of node {node} are {coords[node].tolist()}: for {metric} they are "
            "latitude and longitude, in this order, up to 90 and 180"
        )
    if metric is Metric.GEO:
        _require_degrees_and_minutes(coords)


def _require_degrees_and_minutes(coords: NDArray[np.float64]) -> None:
    """Refuse coordinates that cannot be TSPLIB's DDD.MM, such as decimal degrees.

    A few minutes of 60 or more may be slips: published files have some (ali535: 3 in 1,070).
    Decimal degrees would have them in four of ten coordinates.
    """
    # 0.6, minus the rounding error of a difference of floats.
    minutes = np.abs(coords - np.trunc(coords)) > 0.6 - 1e-9
    if minutes.mean() > 0.01:
        node = int(np.argmax(minutes.any(axis=1)))
        raise InputError(
            f"coordinates of node {node} are {coords[node].tolist()}: GEO means degrees.minutes, "
            "as TSPLIB defines it, and minutes are below 60. If these are decimal degrees, write "
            "48.5 as 48.30, or use the metric HAVERSINE, which takes decimal degrees"
        )
