"""Read .safetensors files, with a full check of their header.

The safetensors package writes these files, but cannot read them here: with numpy it does not
support bfloat16, and it would allocate any amount of memory that a header claims.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeGuard

import numpy as np
from numpy.typing import NDArray

from sil.errors import InputError, excerpt

_LONGEST_HEADER = 2**22  # the largest configuration needs about 1 MB
_TYPES = {"F32": "<f4", "F16": "<f2", "BF16": "<u2"}
_WRITTEN_AS = "its weights must be F32, F16 or BF16, as safetensors writes them"


@dataclass(frozen=True)
class _Entry:
    """A tensor as the header describes it. `begin` and `end` are bytes after the header."""

    kind: str
    shape: tuple[int, ...]
    begin: int
    end: int


def read_tensors(
    path: Path, expected: Mapping[str, tuple[int, ...]]
) -> dict[str, NDArray[np.float32]]:
    """Read tensors with these names and shapes. Anything else in the file is an error.

    Parameters
    ----------
    path
        The file. Half precision is converted to single.
    expected
        The shape of each tensor, by name.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            entries, behind = _read_header(path, file, size)
            require_shapes(path, expected, {n: entry.shape for n, entry in entries.items()})
            _require_layout(path, entries, size - behind)
            return {
                name: _read_tensor(path, file, name, entry, behind)
                for name, entry in entries.items()
            }
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from error


def require_finite(path: Path, name: str, array: NDArray[Any]) -> None:
    """Refuse NaN and infinity, with which the policy would choose at random."""
    if not np.isfinite(array).all():
        raise InputError(f"{path}: {name} holds weights that are not finite numbers")


def require_shapes(
    path: Path, expected: Mapping[str, tuple[int, ...]], found: Mapping[str, tuple[int, ...]]
) -> None:
    """Raise an error for the first tensor that is missing, unexpected or of another shape."""
    for name in sorted(expected.keys() | found.keys()):
        if found.get(name) != expected.get(name):
            raise InputError(
                f"{path}: the weights do not fit their configuration: {excerpt(name)[1:-1]} is "
                f"{found.get(name, 'missing')}, expected {expected.get(name, 'none of that name')}"
            )


def _read_header(path: Path, file: BinaryIO, size: int) -> tuple[dict[str, _Entry], int]:
    """Return the tensors in the file, and where its header ends."""
    length = int.from_bytes(file.read(8), "little")
    if size < 8 or length > size - 8:
        raise _unreadable(path, f"it ends before its header, after {size} bytes")
    if length > _LONGEST_HEADER:
        raise _unreadable(path, f"its header claims {length:,} bytes; no policy needs that many")
    try:
        values = json.loads(file.read(length).decode())
    except (ValueError, RecursionError) as error:
        raise _unreadable(path, f"its header is not JSON: {error}") from error
    if not isinstance(values, dict):
        raise _unreadable(path, "its header must be an object")
    values.pop("__metadata__", None)
    return {name: _entry(path, name, value) for name, value in values.items()}, 8 + length


def _entry(path: Path, name: str, value: Any) -> _Entry:
    if not isinstance(value, dict):
        raise _unreadable(path, f"its header does not describe {excerpt(name)}")
    kind, shape, place = value.get("dtype"), value.get("shape"), value.get("data_offsets")
    if not isinstance(kind, str) or kind not in _TYPES:
        raise _unreadable(path, f"{excerpt(name)} is of type {excerpt(kind)}; {_WRITTEN_AS}")
    if not _is_counts(shape) or not _is_counts(place) or len(place) != 2:
        raise _unreadable(path, f"its header does not describe {excerpt(name)}")
    return _Entry(kind, tuple(shape), *place)


def _is_counts(value: Any) -> TypeGuard[list[int]]:
    return isinstance(value, list) and all(type(each) is int and each >= 0 for each in value)


def _require_layout(path: Path, entries: Mapping[str, _Entry], size: int) -> None:
    """Tensors must follow each other without gap or overlap, to the end of the file."""
    at = 0
    for name, entry in sorted(entries.items(), key=lambda pair: (pair[1].begin, pair[1].end)):
        wanted = math.prod(entry.shape) * np.dtype(_TYPES[entry.kind]).itemsize
        if entry.begin != at or entry.end - entry.begin != wanted:
            raise _unreadable(path, f"{name} is not where it should be; is the file damaged?")
        at = entry.end
    if at != size:
        raise _unreadable(path, f"it has {size:,} bytes of weights, but its header says {at:,}")


def _read_tensor(
    path: Path, file: BinaryIO, name: str, entry: _Entry, behind: int
) -> NDArray[np.float32]:
    file.seek(behind + entry.begin)
    data = file.read(entry.end - entry.begin)
    if len(data) != entry.end - entry.begin:
        raise _unreadable(path, "it became shorter while it was read")
    raw = np.frombuffer(data, dtype=_TYPES[entry.kind])
    # bfloat16 is the upper half of a float32.
    wide = (raw.astype("<u4") << 16).view("<f4") if entry.kind == "BF16" else raw
    array = wide.astype(np.float32).reshape(entry.shape)
    require_finite(path, name, array)
    return array


def _unreadable(path: Path, reason: str) -> InputError:
    return InputError(f"{path}: cannot be read as weights: {reason}")
