"""The results of a benchmark: one row per run, in a csv file that survives any interruption."""

import csv
import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

from sil.bench.row import Key, Row
from sil.errors import InputError
from sil.io.atomic import flush_names
from sil.io.lock import FolderLock
from sil.io.records import columns, csv_text, from_cells


class Results:
    """The rows of a folder: read once, then appended one by one.

    If there are several rows of the same run, the last one counts.

    Parameters
    ----------
    folder
        Contains ``results.csv``.
    """

    def __init__(self, folder: Path) -> None:
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{folder}: this is a file; results need a folder")
        self.path = folder / "results.csv"
        self.rows = self._read()

    def append(self, row: Row) -> None:
        """Write a row and wait until it is on the disk."""
        row = row.in_one_line()  # so that an incomplete line can be recognised
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            _drop_incomplete_line(self.path)
            new = not self.path.exists() or self.path.stat().st_size == 0
            with self.path.open("a", newline="", encoding="utf-8") as file:
                file.write(csv_text([row], header=Row if new else None))
                file.flush()
                os.fsync(file.fileno())
            if new:
                flush_names(self.path.parent)
        except OSError as error:
            message = f"{self.path}: cannot be written: {error.strerror or error}"
            raise InputError(message) from error
        self.rows = _last_of_each([*self.rows, row])

    def require_writable(self) -> None:
        """Raise an error before any work is done if nothing could be written here."""
        place = self.path.parent
        while not place.exists() and place != place.parent:
            place = place.parent
        if not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
            raise InputError(
                f"{self.path.parent}: cannot be written to; choose another folder with --out"
            )

    def find(self, key: Key) -> Row | None:
        """Return the row of a run, if there is one."""
        return next((row for row in self.rows if row.key == key), None)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from writing to this folder."""
        busy = (
            "another benchmark is writing to this folder; wait until it has finished, or choose "
            "another folder with --out"
        )
        with FolderLock(self.path.parent, busy):
            self.rows = self._read()  # another process may have added rows before we had the lock
            yield

    def _read(self) -> list[Row]:
        return _last_of_each(_read(self.path)) if self.path.exists() else []


def _last_of_each(rows: list[Row]) -> list[Row]:
    return list({row.key: row for row in rows}.values())


def _read(path: Path) -> list[Row]:
    try:
        complete = path.read_text(encoding="utf-8").rpartition("\n")[0]
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}; choose another folder") from error
    reader = csv.DictReader(StringIO(complete))
    try:
        if reader.fieldnames is not None and list(reader.fieldnames) != columns(Row):
            raise InputError(
                f"{path}: these are not the columns of a benchmark; choose another folder"
            )
        return [from_cells(Row, cells) for cells in reader]
    except (ValueError, TypeError, csv.Error) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"{path}: line {reader.line_num} cannot be read: {error}; remove the line to repeat "
            "the run"
        ) from error


def _drop_incomplete_line(path: Path) -> None:
    """Remove a last line that was not written completely."""
    if not path.exists():
        return
    data = path.read_bytes()
    if data and not data.endswith(b"\n"):
        with path.open("r+b") as file:
            file.truncate(data.rfind(b"\n") + 1)
