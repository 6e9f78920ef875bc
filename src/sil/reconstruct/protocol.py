"""The interface of reconstructors."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sil._native import Interrupt
from sil.problem import Problem
from sil.solution import Solution


@dataclass(frozen=True)
class Round:
    """What a reconstructor knows about its round.

    Parameters
    ----------
    rng
        Source of all random choices.
    threads
        Number of threads to use.
    interrupt
        When set, the round must end soon and return what it has.
    used
        Share of the run's budget that is used up, from 0 to 1; None if the budget is unknown.
    seconds
        Time limit of the whole run; None if time does not limit it.
    number
        Number of rounds before this one.
    """

    rng: np.random.Generator
    threads: int
    interrupt: Interrupt
    used: float | None = None
    seconds: float | None = None
    number: int = 0


class Reconstructor(Protocol):
    """Improves a solution by rebuilding parts of it.

    Attributes
    ----------
    name
        Shown to people and written to results.
    """

    name: str

    def improve(self, problem: Problem, solution: Solution, this: Round) -> Solution:
        """Return the solution after one round. It must be valid, but may be worse for a while.

        The caller keeps the best. If interrupted before there is a result, this raises
        `sil.errors.StoppedError`.
        """
        ...
