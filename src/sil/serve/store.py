"""The records of all jobs in SQLite, on disk before anybody is told about them."""

import json
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from sil.errors import InputError, SilError
from sil.serve.job import Event, Job, State

_COLUMNS = [field.name for field in fields(Job)]
_SCHEMA = f"""
    CREATE TABLE IF NOT EXISTS jobs (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        {", ".join(_COLUMNS)},
        key, digest,
        UNIQUE (id), UNIQUE (client, key)
    );
    CREATE INDEX IF NOT EXISTS jobs_by_state ON jobs (state, client, number);
    CREATE INDEX IF NOT EXISTS jobs_by_turn ON jobs (client, started);
    CREATE INDEX IF NOT EXISTS jobs_by_end ON jobs (finished);
    CREATE TABLE IF NOT EXISTS events (
        id, number INTEGER, kind, data, PRIMARY KEY (id, number)
    ) WITHOUT ROWID;
"""
# The client with the fewest running jobs is next, then the one who has waited longest for a turn.
_QUEUE = """
    SELECT queued.*,
        (SELECT count(*) FROM jobs busy
            WHERE busy.state = 'running' AND busy.client = queued.client) AS running,
        (SELECT count(*) FROM jobs before
            WHERE before.state = 'queued' AND before.client = queued.client
            AND before.number < queued.number) AS ahead,
        (SELECT max(last.started) FROM jobs last WHERE last.client = queued.client) AS turn
    FROM jobs queued WHERE queued.state = 'queued'
    ORDER BY running + ahead, turn, queued.number
"""


class QueueFullError(SilError):
    """There are as many jobs in the queue as may be."""


class KeyTakenError(InputError):
    """An idempotency key was used before, for something else."""


class Store:
    """The records of jobs and their events. Safe for any number of threads.

    Parameters
    ----------
    path
        File of the database.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._writer, self._reader = _connected(path), _connected(path)
            self._writer.executescript(_SCHEMA)
        except sqlite3.Error as error:
            raise InputError(f"{path}: cannot be used as a database: {error}") from error
        self._writing, self._reading = threading.Lock(), threading.Lock()

    def close(self) -> None:
        """Close the database."""
        with self._writing, self._reading:
            self._writer.close()
            self._reader.close()

    def add(self, job: Job, max_queue: int, key: str | None = None, digest: str = "") -> Job:
        """Add a job to the queue; return the earlier one if its key was used before."""
        with self._transaction() as database:
            if key is not None and (earlier := self._keyed(job.client, key, digest)) is not None:
                return earlier
            (waiting,) = database.execute(
                "SELECT count(*) FROM jobs WHERE state = 'queued'"
            ).fetchone()
            if waiting >= max_queue:
                raise QueueFullError(f"{waiting} jobs are waiting already: try again later")
            values = asdict(job) | {"key": key, "digest": digest}
            names, marks = ", ".join(values), ", ".join("?" * len(values))
            database.execute(
                f"INSERT INTO jobs ({names}) VALUES ({marks})", list(map(_plain, values.values()))
            )
            self._record(job.id, "state", {"state": State.QUEUED})
            if job.cost is not None:
                self._record(job.id, "progress", {"elapsed": 0, "rounds": 0, "cost": job.cost})
        return job

    def keyed(self, client: str, key: str, digest: str) -> Job | None:
        """Find the job that a client has submitted with a key."""
        with self._writing:
            return self._keyed(client, key, digest)

    def get(self, name: str) -> Job | None:
        """Find a job."""
        found = self._read("SELECT * FROM jobs WHERE id = ?", name)
        return _job(found[0]) if found else None

    def page(self, limit: int, before: str | None = None) -> list[Job]:
        """List jobs, the newest first; `before` is the last job of the page before."""
        where = "WHERE number < (SELECT number FROM jobs WHERE id = ?)" if before else ""
        rows = self._read(
            f"SELECT * FROM jobs {where} ORDER BY number DESC LIMIT {int(limit)}",
            *([before] if before else []),
        )
        return [_job(row) for row in rows]

    def events(self, name: str, after: int = 0, limit: int = 1_000_000) -> list[Event]:
        """List events of a job after one of them."""
        rows = self._read(
            "SELECT number, kind, data FROM events WHERE id = ? AND number > ? "
            f"ORDER BY number LIMIT {int(limit)}",
            name,
            after,
        )
        return [Event(*row) for row in rows]

    def place(self, name: str) -> int | None:
        """Place of a job in the queue, from 1; None if it does not wait."""
        order = [row["id"] for row in self._read(_QUEUE)]
        return order.index(name) + 1 if name in order else None

    def counts(self) -> dict[State, int]:
        """Count the jobs of each state."""
        rows = self._read("SELECT state, count(*) FROM jobs GROUP BY state")
        found = {State(state): count for state, count in rows}
        return {state: found.get(state, 0) for state in State}

    def waiting_seconds(self, workers: int) -> float:
        """Estimate after how many seconds the next place in the queue is free."""
        rows = self._read("SELECT max_runtime - elapsed FROM jobs WHERE state = 'running'")
        return min((max(1.0, left) for (left,) in rows), default=1.0) if len(rows) >= workers else 1

    def claim(self) -> Job | None:
        """Take the next job from the queue; None if it is empty."""
        with self._transaction() as database:
            row = database.execute(_QUEUE).fetchone()
            if row is None:
                return None
            name, now = row["id"], time.time()
            database.execute(
                "UPDATE jobs SET state = 'running', started = coalesce(started, ?) WHERE id = ?",
                (now, name),
            )
            self._record(name, "state", {"state": State.RUNNING})
            return _job(database.execute("SELECT * FROM jobs WHERE id = ?", (name,)).fetchone())

    def progress(self, name: str, figures: dict[str, Any]) -> None:
        """Note progress of a running job. A cost must be that of a solution on the disk."""
        with self._transaction() as database:
            database.execute(
                "UPDATE jobs SET rounds = ?, elapsed = ?, cost = ?, routes = ?, failures = 0, "
                "start_cost = coalesce(start_cost, ?) WHERE id = ?",
                (
                    figures["rounds"], figures["elapsed"], figures["cost"], figures["routes"],
                    figures["cost"], name,
                ),
            )  # fmt: skip
            self._record(name, "progress", figures)

    def finish(self, name: str, state: State, message: str = "", shares: str = "[]") -> None:
        """Note the end of a job."""
        with self._transaction() as database:
            database.execute(
                "UPDATE jobs SET state = ?, finished = ?, message = ?, shares = ? WHERE id = ?",
                (state, time.time(), message, shares, name),
            )
            self._record(name, "state", {"state": state, "message": message})

    def put_back(self, name: str, failed: bool) -> None:
        """Put a running job back into the queue."""
        with self._transaction() as database:
            database.execute(
                "UPDATE jobs SET state = 'queued', failures = failures + ? WHERE id = ?",
                (int(failed), name),
            )
            self._record(name, "state", {"state": State.QUEUED})

    def put_all_back(self) -> list[str]:
        """Put all running jobs back into the queue, after a restart; return their names."""
        names = [row["id"] for row in self._read("SELECT id FROM jobs WHERE state = 'running'")]
        for name in names:
            self.put_back(name, failed=False)
        return names

    def stop(self, name: str) -> Job | None:
        """Ask a job to stop; one that waits is cancelled at once."""
        with self._transaction() as database:
            database.execute(
                "UPDATE jobs SET stopping = 1 WHERE id = ? AND state IN ('queued', 'running')",
                (name,),
            )
            changed = database.execute(
                "UPDATE jobs SET state = 'cancelled', finished = ? "
                "WHERE id = ? AND state = 'queued'",
                (time.time(), name),
            )
            if changed.rowcount:
                self._record(name, "state", {"state": State.CANCELLED, "message": ""})
            row = database.execute("SELECT * FROM jobs WHERE id = ?", (name,)).fetchone()
        return None if row is None else _job(row)

    def delete(self, name: str) -> None:
        """Forget a job."""
        with self._transaction() as database:
            database.execute("DELETE FROM jobs WHERE id = ?", (name,))
            database.execute("DELETE FROM events WHERE id = ?", (name,))

    def names(self, finished_before: float | None = None) -> list[str]:
        """List the jobs; with a time, those that were finished before it."""
        if finished_before is None:
            return [row["id"] for row in self._read("SELECT id FROM jobs")]
        return [
            row["id"]
            for row in self._read("SELECT id FROM jobs WHERE finished < ?", finished_before)
        ]

    def _keyed(self, client: str, key: str, digest: str) -> Job | None:
        row = self._writer.execute(
            "SELECT * FROM jobs WHERE client = ? AND key = ?", (client, key)
        ).fetchone()
        if row is not None and row["digest"] != digest:
            raise KeyTakenError(
                "this Idempotency-Key was used before with another request: draw a new one"
            )
        return None if row is None else _job(row)

    def _record(self, name: str, kind: str, figures: dict[str, Any]) -> None:
        row = self._writer.execute("SELECT event FROM jobs WHERE id = ?", (name,)).fetchone()
        if row is None:  # it was deleted meanwhile
            return
        number = row["event"] + 1
        self._writer.execute("UPDATE jobs SET event = ? WHERE id = ?", (number, name))
        self._writer.execute(
            "INSERT INTO events VALUES (?, ?, ?, ?)", (name, number, kind, json.dumps(figures))
        )

    def _read(self, query: str, *values: Any) -> list[Any]:
        with self._reading:
            return self._reader.execute(query, values).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing; on the disk when this ends."""
        with self._writing:
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield self._writer
                self._writer.execute("COMMIT")
            except BaseException:
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                raise


def _connected(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, State) else value


def _job(row: sqlite3.Row) -> Job:
    values = {name: row[name] for name in _COLUMNS}
    flags = {name: bool(values[name]) for name in ("is_vroom", "stopping")}
    return Job(**values | flags | {"state": State(values["state"])})
