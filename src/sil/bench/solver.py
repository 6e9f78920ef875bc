"""The interface of everything that a benchmark runs: our methods and other solvers."""

import math
import time
from dataclasses import dataclass
from typing import Protocol

from sil.errors import InputError
from sil.problem import Problem
from sil.solution import Solution
from sil.threads import require_threads


@dataclass(frozen=True)
class Limits:
    """What every solver is given alike.

    Parameters
    ----------
    seconds
        Time limit; 0 to let the solver run to its end.
    threads
        Number of threads that it may use.
    seed
        Seed of its random choices.
    """

    seconds: float
    threads: int
    seed: int

    def __post_init__(self) -> None:
        if not (math.isfinite(self.seconds) and self.seconds >= 0):
            raise InputError(
                f"the time limit is {self.seconds}: it must be a number of seconds, at least 0"
            )
        require_threads(self.threads)
        if self.seed < 0:
            raise InputError(f"the seed is {self.seed}: it must be a whole number, at least 0")


class Countdown:
    """Counts down a time limit, so that building a solver's model counts as part of its time.

    Parameters
    ----------
    seconds
        The limit, starting now.
    """

    def __init__(self, seconds: float) -> None:
        self._end = time.perf_counter() + seconds

    @property
    def left(self) -> float:
        """Seconds left; never less than 0.1, because solvers do not accept less."""
        return max(0.1, self._end - time.perf_counter())

    @property
    def is_over(self) -> bool:
        """Whether the time is up."""
        return time.perf_counter() >= self._end


class NoSolutionError(Exception):
    """A solver found no solution within its time limit."""


class Solver(Protocol):
    """Solves a problem, in a process of its own.

    Attributes
    ----------
    name
        The name in results, without a weights file.
    timed
        Whether it takes a time limit; if not, it runs to its end.
    """

    name: str
    timed: bool

    @property
    def version(self) -> str:
        """Everything beside this package that affects the results; if it changes, runs repeat."""
        ...

    def missing(self, problem: Problem) -> str | None:
        """Return the reason if it cannot solve this problem here; None if it can."""
        ...

    def prepare(self) -> None:
        """Import what is needed, before anything is measured."""
        ...

    def solve(self, problem: Problem, limits: Limits) -> Solution | None:
        """Return the best solution found, to be checked; None if there is nothing to check."""
        ...
