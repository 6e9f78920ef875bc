"""Checks of the parts of a problem: types, shapes and ranges."""

from itertools import chain
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sil.errors import InputError, excerpt

LARGEST_COORDINATE = 1e12
LARGEST_DIMENSION = 2**30  # as in native code, where nodes are 32-bit numbers
# From here on, not every integer can be represented as a 64-bit float.
EXACT = 2**53
LONGEST_NAME = 200


def validated_name(name: Any) -> str:
    """Return a name; refuse one that cannot be printed on one line."""
    if not isinstance(name, str):
        raise InputError(f"the name is {excerpt(name)}: it must be text")
    if len(name) > LONGEST_NAME:
        raise InputError(
            f"the name has {len(name):,} characters: it may have at most {LONGEST_NAME}"
        )
    if not name.isprintable():
        raise InputError(
            f"the name {excerpt(name, LONGEST_NAME)} contains characters that cannot be printed, "
            "such as line breaks: remove them"
        )
    return str(name)


def clean_name(text: str, default: str = "unnamed") -> str:
    """Turn any text, such as a file name, into a valid name: replace bad characters by ``_``."""
    kept = text[:LONGEST_NAME]
    return "".join(sign if sign.isprintable() else "_" for sign in kept) or default


def validated_names(names: Any, dimension: int) -> NDArray[np.str_]:
    """Return the names of all nodes, shape (n,)."""
    try:
        listed = np.asarray(names)
    except (TypeError, ValueError):
        listed = np.zeros(0)
    if listed.dtype.kind != "U" or listed.shape != (dimension,):
        raise InputError(f"names must be a list of {dimension} texts, one for each node")
    if listed.dtype.itemsize > 4 * LONGEST_NAME or not "".join(listed.tolist()).isprintable():
        for name in listed.tolist():
            validated_name(name)
    return listed.copy()


def numbers(values: ArrayLike, what: str) -> NDArray[np.float64]:
    """Copy numbers into an array; refuse values such as True or "1"."""
    _require_plain(values, what, "iuf")
    try:
        return np.array(values, dtype=np.float64, order="C")
    except MemoryError:
        raise InputError(f"not enough memory for {what}") from None
    except OverflowError:
        raise InputError(f"there is a number in {what} that is too large") from None
    except (TypeError, ValueError):
        raise InputError(f"{what} must be numbers in rows of equal length") from None


def real_number(value: Any, what: str) -> float:
    """Return a number, which may be infinite or NaN; refuse True and "1"."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InputError(f"{what} must be a number, not {excerpt(value)}")
    try:
        return float(value)
    except OverflowError:
        raise InputError(f"{what} is too large") from None


def whole_number(value: Any, what: str) -> int:
    """Return a whole number; refuse True and 2.0."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InputError(f"{what} is {excerpt(value)}: it must be a whole number")
    return int(value)


def whole_numbers(values: ArrayLike, what: str, kinds: str = "iu") -> NDArray[Any]:
    """Return whole numbers, or numbers of other numpy `kinds`, as an array of their type."""
    _require_plain(values, what, kinds)
    try:
        array = np.asarray(values)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{what} must be numbers in rows of equal length") from None
    if array.dtype == object:  # integers of more than 64 bits
        raise InputError(f"there is a number in {what} that is too large")
    return array


def _require_plain(values: ArrayLike, what: str, kinds: str) -> None:
    """Refuse values of other kinds than these, given by numpy's letters."""
    wanted = "numbers" if "f" in kinds else "true and false" if "b" in kinds else "whole numbers"
    if np.ma.is_masked(values):
        raise InputError(f"{what} must be {wanted}, but some are masked")
    if isinstance(values, (list, tuple)):
        # numpy would silently convert True and "1" to numbers.
        for kind in _types_in(values, what):
            if _kind(kind) not in kinds:
                raise InputError(f"{what} must be {wanted}, but one is of type {kind.__name__}")
        return
    array = np.asarray(values)
    if array.dtype.kind not in kinds and array.size:
        raise InputError(f"{what} must be {wanted}, not of type {array.dtype}")


def _kind(scalar: type) -> str:
    """Return numpy's letter for the kind of a scalar."""
    if issubclass(scalar, np.generic):
        return np.dtype(scalar).kind
    if issubclass(scalar, bool):
        return "b"
    return "i" if issubclass(scalar, int) else "f" if issubclass(scalar, float) else "O"


def _types_in(values: Any, what: str) -> set[type]:
    """Types of the values in nested lists."""
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
    """Return a symmetric matrix of distances; its diagonal is ignored."""
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
            f"the distance from node {i} to node {j} is {values[i, j]:g}, but {values[j, i]:g} in "
            "the other direction: only symmetric problems are supported"
        )
    return values


def validated_coords(coords: ArrayLike) -> NDArray[np.float64]:
    """Return points in the plane, shape (n, 2)."""
    values = numbers(coords, "coordinates")
    if values.ndim != 2 or values.shape[1] != 2:
        raise InputError(f"coordinates must have shape (nodes, 2), not {values.shape}")
    if len(values) == 0:
        raise InputError("there are no nodes")
    if len(values) > LARGEST_DIMENSION:
        raise InputError(
            f"there are {len(values):,} nodes: at most {LARGEST_DIMENSION:,} are supported"
        )
    fits = np.abs(values) <= LARGEST_COORDINATE
    if not fits.all():
        node = int(np.argmin(fits.all(axis=1)))
        raise InputError(
            f"the coordinates of node {node} are {values[node].tolist()}: "
            f"they must be finite and at most {LARGEST_COORDINATE:g} in size"
        )
    return values


def validated_demand(demand: ArrayLike, dimension: int) -> NDArray[np.int64]:
    """Return the demands of a depot and its customers, shape (n,)."""
    values = numbers(demand, "demands")
    if values.shape != (dimension,):
        raise InputError(
            f"demands must have shape ({dimension},), one per node with the depot first, "
            f"not {values.shape}"
        )
    bad = ~((values >= 0) & (values < EXACT) & (values == np.rint(values)))
    if bad.any():
        node = int(np.argmax(bad))
        raise InputError(
            f"the demand of node {node} is {values[node]:g}: demands must be whole numbers, at "
            "least 0 (if they have fractions, scale all demands and the capacity)"
        )
    if values[0] != 0:
        raise InputError(f"the demand of the depot, node 0, is {values[0]:g}: it must be 0")
    if len(values) == 1:
        raise InputError("there are no customers")
    # Summed as floats, because integers would wrap around if the sum is too large.
    if values.sum() >= EXACT:
        raise InputError(
            f"the demands add up to {values.sum():.6g}: the sum must be below 2^53, about 9e15 "
            "(divide all demands and the capacity by a common factor)"
        )
    return values.astype(np.int64)


def validated_capacity(capacity: Any, demand: NDArray[np.int64]) -> int:
    """Return a whole capacity that is enough for every single customer."""
    if _kind(type(capacity)) not in "iuf":
        raise InputError(f"the capacity is {excerpt(capacity)}: it must be a whole number above 0")
    if not (1 <= capacity < EXACT and capacity % 1 == 0):
        raise InputError(
            f"the capacity is {excerpt(capacity)}: it must be a whole number above 0 and below 2^53"
        )
    whole = int(capacity)
    if demand.max() > whole:
        node = int(demand.argmax())
        raise InputError(
            f"the demand of node {node} is {demand[node]}, more than the capacity {whole}: "
            "no vehicle can serve it"
        )
    return whole
