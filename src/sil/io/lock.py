"""Folders that only one program at a time may write to."""

import fcntl
import os
from pathlib import Path
from types import TracebackType

from sil.errors import InputError


class FolderLock:
    """Locks a folder until it is closed or the program ends.

    Parameters
    ----------
    folder
        The folder; it is created if necessary.
    busy
        Error message if another program has locked it.
    """

    def __init__(self, folder: Path, busy: str) -> None:
        self._file: int | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise InputError(f"{folder}: cannot be written to: {error.strerror}") from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self.close()
            raise InputError(f"{folder}: {busy}") from error

    def close(self) -> None:
        """Release the folder."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __enter__(self) -> "FolderLock":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()
