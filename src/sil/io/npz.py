"""Archives of named arrays, inspected before they are unpacked."""

import zipfile
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from sil.errors import InputError, excerpt
from sil.io.atomic import replacing
from sil.memory import require_memory

# A small file could fill the memory when unpacked. So an archive that unpacks to more than
# _LARGEST_TIGHT bytes must not be compressed by more than the factor _TIGHTEST. We compress only
# small arrays, so that our own files are never refused.
_TIGHTEST = 100
_LARGEST_TIGHT = 256_000_000
_LARGEST_PACKED = 64_000_000
_KINDS = {"numbers": "iuf", "whole numbers": "iu", "flags": "biu", "text": "U"}


@dataclass(frozen=True)
class _Member:
    """An array in an archive, of which only the header has been read."""

    info: zipfile.ZipInfo
    dtype: np.dtype[Any]
    size: int


def load(path: Path, known: dict[str, str]) -> dict[str, NDArray[Any]]:
    """Read all arrays, whose names and contents must be as expected.

    Parameters
    ----------
    path
        The file.
    known
        The possible names, each with "numbers", "whole numbers", "flags" or "text".
    """
    try:
        with path.open("rb") as stream, zipfile.ZipFile(stream) as archive:
            members = _looked_at(archive, known)
            _require_sensible_size(members, path.stat().st_size)
            return {name: _unpacked(archive, member) for name, member in members.items()}
    except (OSError, InputError, MemoryError):
        raise
    except Exception as error:  # a damaged archive raises errors of many kinds
        raise InputError(
            f"this is not a complete npz file of plain arrays: {excerpt(str(error), 200)[1:-1]}"
        ) from error


def save(path: Path, values: dict[str, NDArray[Any]]) -> None:
    """Write arrays under their names; small ones are compressed."""
    with (
        replacing(path) as temporary,
        temporary.open("wb") as stream,
        zipfile.ZipFile(stream, "w", allowZip64=True) as archive,
    ):
        for name, value in values.items():
            array = np.asarray(value)
            info = zipfile.ZipInfo(f"{name}.npy")
            if array.nbytes <= _LARGEST_PACKED:
                info.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(info, "w", force_zip64=True) as member:
                npy.write_array(member, array, allow_pickle=False)


def _looked_at(archive: zipfile.ZipFile, known: dict[str, str]) -> dict[str, _Member]:
    members: dict[str, _Member] = {}
    for info in archive.infolist():
        name = info.filename.removesuffix(".npy")
        if name not in known:
            raise InputError(
                f"{excerpt(name)} is not supported: known names are {', '.join(sorted(known))}"
            )
        if name in members:
            raise InputError(f"{name!r} appears twice in this file")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise InputError(f"{name!r} uses an unsupported compression: save it with np.savez")
        members[name] = _header(archive, info)
        kind = members[name].dtype.kind
        if kind not in _KINDS[known[name]]:
            raise InputError(f"{name!r} must contain {known[name]}, not {members[name].dtype}")
    return members


def _header(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> _Member:
    with archive.open(info) as stream:
        shape, dtype = _shape_and_type(stream)
        size = prod(shape) * dtype.itemsize
        if dtype.hasobject:
            raise ValueError("objects are not plain arrays")
        if info.file_size != stream.tell() + size:
            raise ValueError(f"{excerpt(info.filename)} is not as long as its header says")
    return _Member(info, dtype, size)


def _shape_and_type(stream: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    version = npy.read_magic(stream)
    readers = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
    if version not in readers:
        raise ValueError(f"version {version} of the npy format is not supported")
    shape, _, dtype = readers[version](stream)
    if any(length < 0 for length in shape):
        raise ValueError(f"an array cannot have the shape {shape}")
    return shape, dtype


def _require_sensible_size(members: dict[str, _Member], file_size: int) -> None:
    total = sum(member.size for member in members.values())
    if total > max(_LARGEST_TIGHT, _TIGHTEST * file_size):
        raise InputError(
            f"this file of {file_size / 1e6:,.1f} MB would unpack to {total / 1e6:,.0f} MB, more "
            f"than {_TIGHTEST} times its size: if this is intended, save it with np.savez, which "
            "does not compress"
        )
    require_memory(2 * total, "reading this file")


def _unpacked(archive: zipfile.ZipFile, member: _Member) -> NDArray[Any]:
    with archive.open(member.info) as stream:
        array: NDArray[Any] = npy.read_array(stream, allow_pickle=False)
        # The checksum is compared only when the end is reached.
        if stream.read(1):
            raise ValueError(f"{excerpt(member.info.filename)} is longer than its header says")
    return array
