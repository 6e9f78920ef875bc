"""Longitudes and latitudes as points in a plane, in metres."""

import numpy as np
from numpy.typing import NDArray

_EARTH = 6_371_008.8  # metres, mean radius


def in_metres(degrees: NDArray[np.float64]) -> NDArray[np.float64]:
    """Project longitudes and latitudes around their middle (equirectangular).

    Distances within a town or a small country are right to about a percent.

    Parameters
    ----------
    degrees
        Longitudes and latitudes, shape (n, 2).
    """
    radians = np.radians(degrees)
    middle = (radians.min(axis=0) + radians.max(axis=0)) / 2
    scale = _EARTH * np.array([np.cos(middle[1]), 1.0])
    metres: NDArray[np.float64] = scale * (radians - middle)
    return metres
