"""Files that are complete or not there, also after a crash or a power cut."""

import csv
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sil.errors import InputError, printable

# How names of unfinished files begin. One that a killed run left behind may be deleted. This
# program does so only in the folder of a training run, which it has locked: elsewhere another run
# may be writing it.
SCRATCH = ".sil-scratch-"


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path beside `path` to write to, and move it there if all went well.

    When this returns, the new file is on the disk and not only in its cache. A file that was
    there gives the new one its permissions. Where `path` is a link, what it points to is replaced.
    """
    with _errors_named(path):
        target = _target(path)
        mode = _permissions(target)
        temporary = _scratch_beside(target, 0o666 if mode is None else 0o600)
        try:
            yield temporary
            flush(temporary)
            if mode is not None:
                temporary.chmod(mode)
            temporary.replace(target)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
        flush_names(target.parent)


def require_writable(path: Path) -> None:
    """Find out before the work, not after it, that its result cannot be written."""
    with _errors_named(path):
        _scratch_beside(_target(path), 0o600).unlink()


def write_csv(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write rows under the names of all their columns."""
    columns = list(dict.fromkeys(column for row in rows for column in row))
    with (
        replacing(path) as scratch,
        scratch.open("w", newline="", encoding="utf-8") as file,
    ):
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)


@contextmanager
def _errors_named(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(
            f"{printable(path)}: cannot be written: {error.strerror or error}"
        ) from error


def _target(path: Path) -> Path:
    """Where a file of this name is put; raise an error if none can be.

    Devices and pipes are refused: to move a file to their place would delete them.
    """
    try:
        target = Path(os.path.realpath(path))
        found = target.lstat()
    except FileNotFoundError:
        if not target.parent.is_dir():
            raise InputError(
                f"{printable(path)}: cannot be written: there is no folder "
                f"{printable(target.parent)}"
            ) from None
        return target
    except ValueError as error:  # a character that no path can have
        raise InputError(f"{printable(path)}: cannot be written: {error}") from None
    if stat.S_ISDIR(found.st_mode):
        raise InputError(f"{printable(path)}: cannot be written: this is a folder")
    if not stat.S_ISREG(found.st_mode):
        raise InputError(
            f"{printable(path)}: cannot be written: this is a device, a pipe or a link to itself, "
            "not a file"
        )
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "this file is read-only")
    return target


def _permissions(target: Path) -> int | None:
    try:
        return stat.S_IMODE(target.stat().st_mode) & 0o777
    except FileNotFoundError:
        return None


def _scratch_beside(target: Path, mode: int) -> Path:
    """Make an empty file of our own name; the user's mask takes from its mode."""
    temporary = target.parent / f"{SCRATCH}{secrets.token_hex(8)}{target.suffix}"
    os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
    return temporary


def flush(path: Path) -> None:
    """Wait until what was written is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def flush_names(folder: Path) -> None:
    """Wait until the names in a folder are on the disk, where this can be asked for."""
    try:
        flush(folder)
    except OSError as error:
        # A folder that may not be listed, or a file system that cannot do this.
        if error.errno not in (errno.EACCES, errno.EINVAL, errno.ENOTSUP):
            raise
