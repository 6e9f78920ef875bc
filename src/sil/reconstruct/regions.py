"""Divide a map into regions of neighbouring points, differently each time."""

import numpy as np
from numpy.typing import NDArray


def divide(
    points: NDArray[np.float64],
    weights: NDArray[np.float64],
    count: int,
    rng: np.random.Generator,
) -> NDArray[np.int32]:
    """Divide the map repeatedly across its longer side, until there are `count` regions.

    The map is first turned by a random angle, and the sizes of both sides vary at random, so that
    the borders differ each time.

    Parameters
    ----------
    points
        Shape (n, 2).
    weights
        Weight of each point, shape (n,). Regions get about equal weights.
    count
        Number of regions, 1 or more.
    rng
        Draws the angle and the sizes.

    Returns
    -------
    The region of each point, from 0 to count - 1, shape (n,).
    """
    seen = turned(points, rng)  # (n, 2)
    region = np.zeros(len(points), dtype=np.int32)

    def halve(members: NDArray[np.intp], first: int, count: int) -> None:
        if count == 1 or len(members) < 2:
            region[members] = first
            return
        here = seen[members]
        axis = int(np.argmax(np.ptp(here, axis=0)))
        left = count // 2
        share = left / count * rng.uniform(0.8, 1.2)
        border = _quantile(here[:, axis], weights[members], share)
        below = here[:, axis] < border
        tied = np.flatnonzero(here[:, axis] == border)
        if len(tied) > 1:  # no border divides equal points, so divide them by index
            room = share * weights[members].sum() - weights[members[below]].sum()
            below[tied[np.cumsum(weights[members[tied]]) <= room]] = True
        halve(members[below], first, left)
        halve(members[~below], first + left, count - left)

    halve(np.arange(len(points)), 0, count)
    return region


def turned(points: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Turn a map, shape (n, 2), by a random angle."""
    angle = rng.uniform(0, 2 * np.pi)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    found: NDArray[np.float64] = points @ turn
    return found


def _quantile(
    values: NDArray[np.float64], weights: NDArray[np.float64], share: float, sample: int = 4096
) -> float:
    """Value below which about this share of the weight lies, from an even sample."""
    step = -(-len(values) // sample)
    values, weights = values[::step], weights[::step]
    order = np.argsort(values)
    filled = np.cumsum(weights[order])
    return float(values[order[np.searchsorted(filled, share * filled[-1])]])
