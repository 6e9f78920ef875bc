"""Files that are either complete or absent, even after a crash or a power cut."""

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

# Prefix of unfinished files. Those left behind by a killed run may be deleted. This program deletes
# them only in the folder of a training run, which it has locked; elsewhere, another run may be
# writing them.
SCRATCH = ".sil-scratch-"


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Provide a temporary path beside `path` to write to, and move it there on success.

    When this returns, the new file is on the disk and not only in a cache. If it replaces a file,
    it keeps the permissions of that file. If `path` is a link, its target is replaced.
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
    """Raise an error before any work is done if its result could not be written."""
    with _errors_named(path):
        _scratch_beside(_target(path), 0o600).unlink()


def write_csv(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write rows with a header of all their columns."""
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
    """Resolve where to write a file; raise an error if that is impossible.

    Devices and pipes are refused, because moving a file to their place would delete them.
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
    except ValueError as error:  # for example a null character
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
    """Create an empty file with a unique name; the mode is subject to the user's umask."""
    temporary = target.parent / f"{SCRATCH}{secrets.token_hex(8)}{target.suffix}"
    os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
    return temporary


def flush(path: Path) -> None:
    """Wait until the contents of a file are on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def flush_names(folder: Path) -> None:
    """Wait until the names in a folder are on the disk, if the file system supports this."""
    try:
        flush(folder)
    except OSError as error:
        # The folder may not be listed, or the file system does not support this.
        if error.errno not in (errno.EACCES, errno.EINVAL, errno.ENOTSUP):
            raise
