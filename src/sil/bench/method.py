"""The interface of what solves a problem in a benchmark, ours or another's."""

import importlib.util
import math
import time
from dataclasses import dataclass
from importlib import metadata
from typing import Protocol

from sil.errors import InputError
from sil.problem import Problem
from sil.solution import Solution
from sil.threads import require_threads


@dataclass(frozen=True)
class Limits:
    """What every method gets alike.

    Parameters
    ----------
    seconds
        Time limit; 0 if the method is to run to its end.
    threads
        How many it may use.
    seed
        Of its random choices.
    """

    seconds: float
    threads: int
    seed: int

    def __post_init__(self) -> None:
        if not (math.isfinite(self.seconds) and self.seconds >= 0):
            raise InputError(f"a time limit is a number of seconds from 0 on, not {self.seconds}")
        require_threads(self.threads)
        if self.seed < 0:
            raise InputError(f"a seed is a whole number from 0 on, not {self.seed}")


class Countdown:
    """Counts down a time limit, so that making a solver's model takes its share of it.

    Parameters
    ----------
    seconds
        The limit, from now on.
    """

    def __init__(self, seconds: float) -> None:
        self._end = time.perf_counter() + seconds

    @property
    def left(self) -> float:
        """Seconds that are left; a little is always left, for solvers take no less."""
        return max(0.1, self._end - time.perf_counter())

    @property
    def is_over(self) -> bool:
        """Whether nothing is left."""
        return time.perf_counter() >= self._end


class NoSolutionError(Exception):
    """A method that found no solution in its time."""


class Method(Protocol):
    """Solves a problem; runs in a process of its own.

    Attributes
    ----------
    name
        In results and on the command line.
    timed
        Whether it is given a time limit, rather than running to its end.
    """

    name: str
    timed: bool

    @property
    def version(self) -> str:
        """What beside this package has a part in its results; another one is measured again."""
        ...

    def missing(self, problem: Problem) -> str | None:
        """Tell why it cannot solve this problem here; None if it can."""
        ...

    def prepare(self) -> None:
        """Import what is needed, before anything is measured; a small problem is solved next."""
        ...

    def solve(self, problem: Problem, limits: Limits) -> Solution | None:
        """Return the best solution found, which will be checked; None if only the way counts."""
        ...


def package_version(name: str) -> str:
    """Tell which version of an installed Python package is used."""
    return f"{name} {metadata.version(name)}"


def missing_package(name: str) -> str | None:
    """Tell that a Python package is not installed."""
    if importlib.util.find_spec(name) is None:
        return f"the package {name} is not installed"
    return None
