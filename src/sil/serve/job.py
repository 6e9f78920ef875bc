"""A job: its record, its events and its folder."""

import json
import re
import secrets
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

_ID = re.compile(r"[0-9a-f]{16}")


class State(StrEnum):
    """Where a job is on its way."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"

    @property
    def is_final(self) -> bool:
        """Whether nothing will happen any more."""
        return self in (State.DONE, State.CANCELLED, State.FAILED)


@dataclass(frozen=True)
class Job:
    """The record of a job.

    Parameters
    ----------
    id
        Its name, which cannot be guessed.
    client
        Who submitted it; the queue is fair among clients.
    name, kind, metric, nodes
        The problem.
    method, seed, max_runtime
        How it is solved.
    is_vroom
        Whether it came in VROOM's format and is answered in it.
    created, started, finished
        Times in seconds since 1970; None if that has not happened.
    state
        Where it is on its way.
    stopping
        Whether it was asked to stop.
    failures
        How often its process has ended without progress.
    start_cost, cost
        Cost of the first and of the best solution; None if there is none.
    rounds, elapsed
        Rounds done, and seconds spent on solving.
    routes
        Number of routes of the best solution.
    event
        Number of its last event.
    message
        What went wrong, in words.
    shares
        The share of each reconstructor, as JSON.
    """

    id: str
    client: str
    name: str
    kind: str
    metric: str
    nodes: int
    method: str
    seed: int
    max_runtime: float
    is_vroom: bool
    created: float
    started: float | None = None
    finished: float | None = None
    state: State = State.QUEUED
    stopping: bool = False
    failures: int = 0
    start_cost: float | None = None
    cost: float | None = None
    rounds: int = 0
    elapsed: float = 0.0
    routes: int = 0
    event: int = 0
    message: str = ""
    shares: str = "[]"

    def public(self) -> dict[str, Any]:
        """Return what clients may see."""
        shown = {
            name: getattr(self, name)
            for name in (
                "id", "state", "name", "kind", "metric", "nodes", "method", "seed",
                "max_runtime", "created", "started", "finished", "start_cost", "cost", "rounds",
                "elapsed", "routes", "message",
            )
        }  # fmt: skip
        return shown | {"elapsed": round(self.elapsed, 3), "shares": json.loads(self.shares)}


@dataclass(frozen=True)
class Event:
    """Something that happened to a job.

    Parameters
    ----------
    number
        Counts the events of a job from 1.
    kind
        "progress", or "state" when the state has changed.
    data
        Figures, as JSON.
    """

    number: int
    kind: str
    data: str


@dataclass(frozen=True)
class Folder:
    """The files of a job."""

    path: Path

    @property
    def problem(self) -> Path:
        """The problem."""
        return self.path / "problem.npz"

    @property
    def points(self) -> Path:
        """Where the nodes lie on the map."""
        return self.path / "points.bin"

    @property
    def routes(self) -> Path:
        """The best solution so far."""
        return self.path / "routes.bin"

    @property
    def vroom(self) -> Path:
        """What VROOM's answer needs and the problem does not have."""
        return self.path / "vroom.json"

    @property
    def work(self) -> Path:
        """What the process of the job needs, which is deleted when it has ended."""
        return self.path / "work"


def new_id() -> str:
    """Draw a name for a job."""
    return secrets.token_hex(8)


def is_id(text: str) -> bool:
    """Whether a text may be the name of a job. No other text becomes part of a path."""
    return _ID.fullmatch(text) is not None
