"""What was measured: one row a run in a csv file that survives any interruption."""

import csv
import io
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from sil.errors import InputError, printable
from sil.io.atomic import flush_names
from sil.io.lock import FolderLock


class Status(StrEnum):
    """How a run ended; only OK has a cost."""

    OK = "ok"
    TIMEOUT = "timeout"  # no answer in time, killed
    MEMORY = "memory"  # more than was allowed
    CRASH = "crash"
    INVALID = "invalid"  # an answer that fails the check
    SKIPPED = "skipped"  # not here, or not for such problems


class Key(NamedTuple):
    """What makes two runs the same."""

    suite: str
    set_name: str
    instance: str
    method: str
    seed: int
    threads: int
    seconds_asked: float


@dataclass(frozen=True)
class Row:
    """One run.

    Parameters
    ----------
    suite
        The experiment that it is part of.
    set_name
        The set of its instance.
    instance
        Name of the instance.
    problem
        TSP or CVRP.
    nodes
        Its size.
    method
        What solved it.
    seed
        Of the method.
    threads
        That it could use.
    memory_gb
        Address space that it could use.
    seconds_asked
        The time limit; 0 if the method has none.
    seconds_used
        By the method, without starting Python and reading the instance.
    status
        How it ended.
    message
        Why there is no cost.
    cost
        Of the solution, computed by us.
    reference
        The cost that gaps are measured against.
    origin
        Where the reference comes from.
    gap_percent
        How much the cost is above the reference.
    peak_mb
        Largest resident memory of its process.
    growth_mb
        How much of it came after importing and reading.
    machine
        Where it ran.
    version
        Of this package, and of the weights or the solver.
    date
        When it ended, in UTC.
    """

    suite: str
    set_name: str
    instance: str
    problem: str
    nodes: int
    method: str
    seed: int
    threads: int
    memory_gb: float
    seconds_asked: float
    seconds_used: float
    status: Status
    message: str
    cost: float | None
    reference: float | None
    origin: str
    gap_percent: float | None
    peak_mb: float
    growth_mb: float
    machine: str
    version: str
    date: str

    @property
    def key(self) -> Key:
        """What makes it the same run as another."""
        return Key(*(getattr(self, name) for name in Key._fields))

    def in_one_line(self) -> "Row":
        """Replace what would not stay in one line, and what a terminal would obey."""
        texts: dict[str, Any] = {name: printable(getattr(self, name)) for name in _TEXTS}
        return replace(self, message=printable(" ".join(self.message.split())), **texts)


COLUMNS = [field.name for field in fields(Row)]
_TEXTS = ("suite", "set_name", "instance", "problem", "method", "origin", "machine", "version")
_NUMBERS = ("nodes", "seed", "threads")
_FLOATS = ("memory_gb", "seconds_asked", "seconds_used", "peak_mb", "growth_mb")
_OPTIONAL = ("cost", "reference")


class Results:
    """The rows of a folder, read at the beginning and appended one by one.

    Of several rows of one run the last counts.

    Parameters
    ----------
    folder
        Holds ``results.csv``.
    """

    def __init__(self, folder: Path) -> None:
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{folder}: this is a file; results need a folder")
        self.path = folder / "results.csv"
        self.rows = self._read()

    def append(self, row: Row) -> None:
        """Write a row to the disk before anything else happens."""
        row = row.in_one_line()  # so that a torn line can be told
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            _drop_torn_line(self.path)
            new = not self.path.exists() or self.path.stat().st_size == 0
            text = io.StringIO()
            writer = csv.DictWriter(text, COLUMNS)
            if new:
                writer.writeheader()
            values = asdict(row).items()
            writer.writerow({key: "" if value is None else value for key, value in values})
            with self.path.open("a", newline="", encoding="utf-8") as file:
                file.write(text.getvalue())
                file.flush()
                os.fsync(file.fileno())
            if new:
                flush_names(self.path.parent)
        except OSError as error:
            message = f"{self.path}: cannot be written: {error.strerror or error}"
            raise InputError(message) from error
        self.rows = _last_of_each([*self.rows, row])

    def require_writable(self) -> None:
        """Find out before the work, not after it, that nothing could be written here."""
        place = self.path.parent
        while not place.exists() and place != place.parent:
            place = place.parent
        if not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
            raise InputError(f"{self.path.parent}: cannot be written to; name another with --out")

    def find(self, key: Key) -> Row | None:
        """Return the row of a run, if it is there."""
        return next((row for row in self.rows if row.key == key), None)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep others from writing to this folder meanwhile."""
        busy = "another benchmark is writing here; wait, or name another folder with --out"
        with FolderLock(self.path.parent, busy):
            self.rows = self._read()  # what another has written since
            yield

    def _read(self) -> list[Row]:
        return _last_of_each(_read(self.path)) if self.path.exists() else []


def percent_above(cost: float, reference: float) -> float:
    """How much a cost is above another; a reference may be 0, where all nodes are in one place."""
    if reference == 0:
        return 0.0 if cost == 0 else math.inf
    return 100 * (cost / reference - 1)


def _last_of_each(rows: list[Row]) -> list[Row]:
    return list({row.key: row for row in rows}.values())


def _read(path: Path) -> list[Row]:
    try:
        complete = path.read_text(encoding="utf-8").rpartition("\n")[0]
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}; name another folder") from error
    reader = csv.DictReader(io.StringIO(complete))
    try:
        if reader.fieldnames is not None and list(reader.fieldnames) != COLUMNS:
            raise InputError(
                f"{path}: these are not the columns of a benchmark; name another folder"
            )
        return [_row(values) for values in reader]
    except (ValueError, TypeError, csv.Error) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"{path}: line {reader.line_num} cannot be read: {error}; remove it, and the run is "
            "done again"
        ) from error


def _row(values: dict[str, str]) -> Row:
    if set(values) != set(COLUMNS) or None in values.values():
        raise ValueError(f"it has not the {len(COLUMNS)} columns")
    read: dict[str, object] = dict(values)
    for name in _NUMBERS:
        read[name] = int(values[name])
    for name in _FLOATS:
        read[name] = _finite(values[name])
    for name in _OPTIONAL:
        read[name] = _finite(values[name]) if values[name] else None
    # Infinite where the reference is 0.
    read["gap_percent"] = float(values["gap_percent"]) if values["gap_percent"] else None
    read["status"] = Status(values["status"])
    return Row(**read)  # type: ignore[arg-type]


def _finite(text: str) -> float:
    number = float(text)
    if not (math.isfinite(number) and number >= 0):
        raise ValueError(f"{text!r} is not a number from 0 on")
    return number


def _drop_torn_line(path: Path) -> None:
    """Remove a last line that was not written to its end."""
    if not path.exists():
        return
    data = path.read_bytes()
    if data and not data.endswith(b"\n"):
        with path.open("r+b") as file:
            file.truncate(data.rfind(b"\n") + 1)
