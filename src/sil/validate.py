"""What a problem is made of, checked: numbers that are numbers, in shape and in range."""

from itertools import chain
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sil.errors import InputError, excerpt

LARGEST_COORDINATE = 1e12
LARGEST_DIMENSION = 2**31 - 1  # nodes are 32-bit numbers
# From here on, not every whole number is a 64-bit float.
EXACT = 2**53
LONGEST_NAME = 200


def validated_name(name: Any) -> str:
    """Refuse a name that could not be printed on one line."""
    if not isinstance(name, str):
        raise InputError(f"the name is {excerpt(name)}: it must be text")
    if len(name) > LONGEST_NAME:
        raise InputError(
            f"the name has {len(name):,} characters: it may have {LONGEST_NAME} at most"
        )
    if not name.isprintable():
        raise InputError(
            f"the name {excerpt(name, LONGEST_NAME)} holds characters that cannot be printed, "
            "such as line breaks: leave them out"
        )
    return str(name)


def clean_name(text: str) -> str:
    """Make a name of any text, such as that of a file: what cannot be printed becomes ``_``."""
    kept = text[:LONGEST_NAME]
    return "".join(sign if sign.isprintable() else "_" for sign in kept) or "unnamed"


def numbers(values: ArrayLike, what: str) -> NDArray[np.float64]:
    """Copy numbers into an array; what is only like a number, such as True or "1", is refused."""
    _require_plain(values, what, "iuf")
    try:
        return np.array(values, dtype=np.float64, order="C")
    except MemoryError:
        raise InputError(f"{what} must fit into memory, and there is too little left") from None
    except OverflowError:
        raise InputError(f"there is a number in {what} that is too large") from None
    except (TypeError, ValueError):
        raise InputError(f"{what} must be numbers in rows of equal length") from None


def whole_number(value: Any, what: str) -> int:
    """Return one whole number; True is none, nor is 2.0."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InputError(f"{what} is {excerpt(value)}: it must be a whole number")
    return int(value)


def whole_numbers(values: ArrayLike, what: str, kinds: str = "iu") -> NDArray[Any]:
    """Give whole numbers, or with other `kinds` other plain ones, as an array of their type."""
    _require_plain(values, what, kinds)
    try:
        array = np.asarray(values)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{what} must be numbers in rows of equal length") from None
    if array.dtype == object:  # whole numbers of more than 64 bits
        raise InputError(f"there is a number in {what} that is too large")
    return array


def _require_plain(values: ArrayLike, what: str, kinds: str) -> None:
    """Refuse values of other kinds than these letters of numpy's."""
    wanted = "numbers" if "f" in kinds else "true and false" if "b" in kinds else "whole numbers"
    if np.ma.is_masked(values):
        raise InputError(f"{what} must be {wanted}, and some are masked")
    if isinstance(values, (list, tuple)):
        # numpy would make numbers of True and of "1" without a word.
        for kind in _types_in(values, what):
            if _kind(kind) not in kinds:
                raise InputError(f"{what} must be {wanted}, and one is of type {kind.__name__}")
        return
    array = np.asarray(values)
    if array.dtype.kind not in kinds and array.size:
        raise InputError(f"{what} must be {wanted}, not of type {array.dtype}")


def _kind(scalar: type) -> str:
    """Give the letter that numpy has for a scalar's kind."""
    if issubclass(scalar, np.generic):
        return np.dtype(scalar).kind
    if issubclass(scalar, bool):
        return "b"
    return "i" if issubclass(scalar, int) else "f" if issubclass(scalar, float) else "O"


def _types_in(values: Any, what: str) -> set[type]:
    """Types of what stands in nested lists."""
    for _ in range(4):
        types = set(map(type, values))
        if not any(issubclass(kind, (list, tuple, np.ndarray)) for kind in types):
            return types
        try:
            values = list(chain.from_iterable(values))
        except TypeError:
            break
    raise InputError(f"{what} must be numbers in rows of equal length")


def validated_matrix(matrix: ArrayLike) -> NDArray[np.float64]:
    """Refuse what is no symmetric matrix of distances; its diagonal does not matter."""
    values = numbers(matrix, "distances")
    if values.ndim != 2 or values.shape[0] != values.shape[1] or len(values) == 0:
        raise InputError(f"a distance matrix must be square, not of shape {values.shape}")
    np.fill_diagonal(values, 0.0)
    if not ((values >= 0) & (values <= LARGEST_COORDINATE)).all():
        raise InputError(
            f"distances must be finite, not negative and at most {LARGEST_COORDINATE:g}"
        )
    if not np.array_equal(values, values.T):
        i, j = (int(k) for k in np.argwhere(values != values.T)[0])
        raise InputError(
            f"the distance from node {i} to node {j} is {values[i, j]:g} but back it is "
            f"{values[j, i]:g}: only symmetric problems are supported"
        )
    return values


def validated_coords(coords: ArrayLike) -> NDArray[np.float64]:
    """Refuse what is no list of points in the plane."""
    values = numbers(coords, "coordinates")
    if values.ndim != 2 or values.shape[1] != 2:
        raise InputError(f"coordinates must have shape (nodes, 2), not {values.shape}")
    if len(values) == 0:
        raise InputError("there are no nodes")
    if len(values) > LARGEST_DIMENSION:
        raise InputError(f"there are {len(values):,} nodes: at most {LARGEST_DIMENSION:,} can be")
    fits = np.abs(values) <= LARGEST_COORDINATE
    if not fits.all():
        node = int(np.argmin(fits.all(axis=1)))
        raise InputError(
            f"coordinates of node {node} are {values[node].tolist()}: "
            f"they must be finite and at most {LARGEST_COORDINATE:g} in size"
        )
    return values


def validated_demand(demand: ArrayLike, dimension: int) -> NDArray[np.int64]:
    """Refuse what are no demands of a depot and its customers."""
    values = numbers(demand, "demands")
    if values.shape != (dimension,):
        raise InputError(
            f"demands must have shape ({dimension},), one a node with the depot first, "
            f"not {values.shape}"
        )
    bad = ~((values >= 0) & (values < EXACT) & (values == np.rint(values)))
    if bad.any():
        node = int(np.argmax(bad))
        raise InputError(
            f"demand of node {node} is {values[node]:g}: demands must be whole numbers from "
            "0 on (scale all demands and the capacity if they have fractions)"
        )
    if values[0] != 0:
        raise InputError(f"demand of the depot, node 0, is {values[0]:g}: it must be 0")
    if len(values) == 1:
        raise InputError("there are no customers")
    # In floats, a sum that is too large is seen to be so; in integers it would wrap around.
    if values.sum() >= EXACT:
        raise InputError(
            f"the demands add up to {values.sum():.6g}: they must stay below 2^53, about 9e15 "
            "(divide all demands and the capacity by a common factor)"
        )
    return values.astype(np.int64)


def validated_capacity(capacity: Any, demand: NDArray[np.int64]) -> int:
    """Refuse a capacity that is no whole number, or that no vehicle could do with."""
    if _kind(type(capacity)) not in "iuf":
        raise InputError(f"capacity is {excerpt(capacity)}: it must be a whole number above 0")
    if not (1 <= capacity < EXACT and capacity % 1 == 0):
        raise InputError(
            f"capacity is {excerpt(capacity)}: it must be a whole number above 0 and below 2^53"
        )
    whole = int(capacity)
    if demand.max() > whole:
        node = int(demand.argmax())
        raise InputError(
            f"demand of node {node} is {demand[node]}, more than the capacity {whole}: "
            "no vehicle can serve it"
        )
    return whole
