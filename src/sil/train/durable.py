"""What is written must survive a power cut."""

import os
from contextlib import suppress
from pathlib import Path


def sync_file(path: Path) -> None:
    """Wait until a file is on the disk."""
    _sync(path)


def sync_folder(path: Path) -> None:
    """Wait until the list of a folder's entries is on the disk, where the system can tell."""
    with suppress(OSError):
        _sync(path)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
