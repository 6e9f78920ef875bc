"""Latitudes and longitudes on a sphere: distances, and a map of any part of it.

Places are decimal degrees, latitude first. TSPLIB's metric GEO is another matter: it has degrees
and minutes, its own radius, and whole kilometres.
"""

import numpy as np
from numpy.typing import NDArray

EARTH_RADIUS = 6_371_008.8  # metres: the mean radius of the WGS 84 ellipsoid


def great_circle(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Metres along the sphere between places `a` and `b`, each of shape (..., 2).

    The earth is not quite a sphere: distances are wrong by up to 0.6 %.
    """
    # Differences of degrees are exact for near places; differences of radians are not.
    north, east = np.radians((a - b)[..., 0]), np.radians((a - b)[..., 1])
    ring = np.cos(np.radians(a[..., 0])) * np.cos(np.radians(b[..., 0]))
    haversine = np.sin(north / 2) ** 2 + ring * np.sin(east / 2) ** 2
    # The same to the point opposite `b`: arc sines are only accurate near 0.
    mean = np.radians((a + b)[..., 0]) / 2
    opposite = np.sin(mean) ** 2 + ring * np.cos(east / 2) ** 2
    near = 2 * np.arcsin(np.sqrt(np.minimum(haversine, 0.5)))
    far = np.pi - 2 * np.arcsin(np.sqrt(np.minimum(opposite, 0.5)))
    metres: NDArray[np.float64] = EARTH_RADIUS * np.where(haversine <= 0.5, near, far)
    return metres


def projected(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a map of the places in metres: x to the east and y to the north, shape (n, 2).

    It is the azimuthal equidistant projection around the middle of the places. Distances and
    directions from the middle are true, and within a country all others nearly are. Places on
    both sides of the date line or of a pole are neighbours on this map, which they are not if
    longitudes are taken for x.
    """
    vectors = _unit_vectors(places)  # (n, 3)
    middle = vectors.mean(axis=0)
    size = np.linalg.norm(middle)
    # Places all around the globe have no middle; any place is then as good.
    centre = middle / size if size > 1e-9 else vectors[0]
    ring = float(np.hypot(centre[0], centre[1]))
    at_pole = ring < 1e-12
    east = np.array([0.0, 1.0, 0.0] if at_pole else [-centre[1] / ring, centre[0] / ring, 0.0])
    north = np.cross(centre, east)
    x, y = vectors @ east, vectors @ north
    sine = np.hypot(x, y)
    angle = np.arctan2(sine, vectors @ centre)
    stretch = np.divide(angle, sine, out=np.ones_like(angle), where=sine > 1e-12)
    return EARTH_RADIUS * np.stack([stretch * x, stretch * y], axis=1)


def _unit_vectors(places: NDArray[np.float64]) -> NDArray[np.float64]:
    latitude, longitude = np.radians(places).T
    ring = np.cos(latitude)
    return np.stack([ring * np.cos(longitude), ring * np.sin(longitude), np.sin(latitude)], axis=1)
