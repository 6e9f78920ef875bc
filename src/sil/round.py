"""One round of the loop: what a reconstructor is, what it is told, and who is next."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sil._native import Interrupt
from sil.problem import Problem
from sil.result import Share
from sil.solution import Solution

_MEMORY = 0.7  # weight of the past in what a reconstructor gains
_TRIAL_SHARE = 0.02  # of the run, at most, for one that gains less than another


@dataclass(frozen=True)
class Round:
    """What a reconstructor is told about its round.

    Parameters
    ----------
    rng
        Draws all that is random.
    threads
        How many to use.
    interrupt
        When set, the round is to end soon with what it has.
    used
        How much of the run's budget is used up, from 0 to 1; None if the budget is not known.
    seconds
        How much time the whole run has; None if that is not what limits it.
    number
        Rounds of the run before this one.
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
        """Return the solution after one round; for a while it may be a worse one.

        The caller keeps the best. It is valid as long as the one given is. Interrupted before
        it has anything to show, it raises `sil.errors.StoppedError`.
        """
        ...


class Turns:
    """Gives each round to the reconstructor that gains most for what it costs.

    The others get a trial from time to time, for a small share of the run, lest one that starts
    slowly or shines late be missed.

    Parameters
    ----------
    reconstructors
        Who take turns.
    seconds
        How much time the run has. A round then costs the time that it takes. None if time is not
        what limits the run: each round costs the same then, so that equal seeds give equal turns.
    """

    def __init__(self, reconstructors: Sequence[Reconstructor], seconds: float | None) -> None:
        self._reconstructors = list(reconstructors)
        self._run_seconds = seconds
        count = len(self._reconstructors)
        self._rate = [0.0] * count
        self._rounds, self._seconds, self._gain = [0] * count, [0.0] * count, [0.0] * count

    def next(self) -> int:
        """Choose the reconstructor whose turn it is, by its number."""
        spent = self._rounds if self._run_seconds is None else self._seconds
        ranked = sorted(range(len(self._reconstructors)), key=lambda i: -self._rate[i])
        for i in ranked:
            if self._rounds[i] == 0:
                return i
        waiting = [i for i in ranked[1:] if spent[i] < _TRIAL_SHARE / 2 * sum(spent)]
        return waiting[0] if waiting else ranked[0]

    def limit(self, number: int) -> float | None:
        """Seconds that this turn may last: a trial is short if time is what limits the run."""
        if self._run_seconds is None or number == self._leader():
            return None
        return max(0.1, _TRIAL_SHARE / 2 * self._run_seconds)

    def record(self, number: int, seconds: float, gain: float, is_best: bool = True) -> None:
        """Note what a round took, and by how much the best cost fell.

        A round that leaves a solution which is not the best, as annealing does, cannot be judged
        yet: what it gains shows later, and its reconstructor keeps the rate that it had.
        """
        if is_best or self._rounds[number] == 0:
            past = _MEMORY if self._rounds[number] else 0.0
            rate = gain if self._run_seconds is None else gain / max(seconds, 1e-9)
            self._rate[number] = past * self._rate[number] + (1 - past) * rate
        self._rounds[number] += 1
        self._seconds[number] += seconds
        self._gain[number] += gain

    def shares(self) -> tuple[Share, ...]:
        """Tell what each has had and given."""
        return tuple(
            Share(each.name, self._rounds[i], self._seconds[i], self._gain[i])
            for i, each in enumerate(self._reconstructors)
        )

    def _leader(self) -> int:
        return max(range(len(self._rate)), key=lambda i: self._rate[i])
