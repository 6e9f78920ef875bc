"""What the routes of a problem must respect besides the capacity, and whether that is possible."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sil.errors import InputError, excerpt
from sil.validate import LARGEST_COORDINATE, numbers, real_number, whole_number

# Lengths are sums of floats, so a route may exceed a limit by this share of it.
TOLERANCE = 1e-9


def validated_service(service: ArrayLike | None, dimension: int) -> NDArray[np.float64] | None:
    """Return the service times of the depot, which must be 0, and of its customers."""
    if service is None:
        return None
    values = numbers(service, "service times")
    if values.shape != (dimension,):
        raise InputError(
            f"service times must have shape ({dimension},), one per node with the depot first, "
            f"not {values.shape}"
        )
    bad = ~((values >= 0) & (values <= LARGEST_COORDINATE))
    if bad.any():
        node = int(np.argmax(bad))
        raise InputError(
            f"the service time of node {node} is {values[node]:g}: it must be 0 or more, and finite"
        )
    if values[:1].any():
        raise InputError(f"the service time of the depot, node 0, is {values[0]:g}: it must be 0")
    return values


def validated_limit(value: Any, what: str) -> float | None:
    """Return a positive number or None."""
    if value is None:
        return None
    number = real_number(value, what)
    if not 0 < number <= LARGEST_COORDINATE:
        raise InputError(f"{what} is {number:g}: it must be above 0, and finite")
    return number


def validated_vehicles(value: Any) -> int | None:
    """Return a positive whole number or None."""
    if value is None:
        return None
    count = whole_number(value, "the number of vehicles")
    if not 1 <= count < 2**31:
        raise InputError(f"the number of vehicles is {excerpt(count)}: it must be 1 or more")
    return count


def exceeds(values: NDArray[np.float64], limit: float | None) -> NDArray[np.bool_]:
    """Whether values are above a limit, beyond rounding errors."""
    if limit is None:
        return np.zeros(np.shape(values), dtype=np.bool_)
    return values > limit * (1 + TOLERANCE)


def require_reachable(
    there_and_back: NDArray[np.float64],
    durations: NDArray[np.float64],
    max_distance: float | None,
    max_duration: float | None,
    names: NDArray[np.str_] | None,
) -> None:
    """Refuse customers whom no vehicle can serve, even on a route of their own.

    Lengths and durations of these routes have shape (dimension,).
    """
    for values, limit, what in (
        (there_and_back, max_distance, "is {:.6g} long there and back, and at most {:.6g} is"),
        (
            durations,
            max_duration,
            "takes {:.6g} there and back with its service, and at most {:.6g} is",
        ),
    ):
        beyond = exceeds(values, limit)
        if beyond.any():
            node = int(np.argmax(beyond))
            name = "" if names is None else f" ({excerpt(str(names[node]))})"
            others = int(beyond.sum()) - 1
            more = f"; nor can {others:,} more" if others else ""
            raise InputError(
                f"node {node}{name} cannot be served: a route to it alone "
                + what.format(values[node], limit)
                + f" allowed{more}"
            )


def require_enough_vehicles(fewest: int, vehicles: int | None) -> None:
    """Refuse a fleet that is too small for the demand or the service times."""
    if vehicles is not None and fewest > vehicles:
        raise InputError(
            f"{vehicles:,} vehicles are too few: the demand and the service times need at least "
            f"{fewest:,}"
        )
