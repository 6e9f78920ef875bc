"""Stopping criteria, as in PyVRP: called before each round with the best cost so far."""

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol

from sil.errors import InputError, excerpt
from sil.validate import real_number, whole_number


class StoppingCriterion(ABC):
    """Base class of the criteria; combine them with ``|`` to stop as soon as one is met."""

    @abstractmethod
    def __call__(self, best_cost: float) -> bool:
        """Whether to stop now."""

    def time_left(self) -> float:
        """Seconds until this criterion is certainly met; infinite if it does not depend on time."""
        return math.inf

    def used(self) -> float | None:
        """Share of the budget that is used, from 0 to 1; None if there is no known budget."""
        return None

    def __or__(self, other: "StoppingCriterion") -> "MultipleCriteria":
        return MultipleCriteria([self, other])


class Stop(Protocol):
    """What `solve` accepts: any callable. A `StoppingCriterion` can also stop within a round."""

    def __call__(self, best_cost: float) -> bool:
        """Whether to stop now."""
        ...


class MaxRuntime(StoppingCriterion):
    """Stop after a number of seconds, also within a round.

    Parameters
    ----------
    seconds
        The time limit.
    started
        When the time starts, as a value of ``time.perf_counter()``. Default: now.
    """

    def __init__(self, seconds: float, started: float | None = None) -> None:
        if not real_number(seconds, "the runtime in seconds") >= 0:
            raise InputError(f"the runtime is {seconds}: it must not be negative")
        self._begin = time.perf_counter() if started is None else started
        self._end = self._begin + seconds

    def __call__(self, best_cost: float) -> bool:
        """Whether the time is up."""
        return time.perf_counter() >= self._end

    def time_left(self) -> float:
        """Seconds left."""
        return max(0.0, self._end - time.perf_counter())

    def used(self) -> float:
        """Share of the time that has passed."""
        total = self._end - self._begin
        return min(1.0, (time.perf_counter() - self._begin) / total) if total else 1.0


class MaxIterations(StoppingCriterion):
    """Stop after a number of rounds."""

    def __init__(self, iterations: int) -> None:
        if whole_number(iterations, "the number of iterations") < 0:
            raise InputError(f"the number of iterations is {iterations}: it must not be negative")
        self._iterations = iterations
        self._left = iterations

    def __call__(self, best_cost: float) -> bool:
        """Whether all rounds are done; each call counts one round."""
        self._left -= 1
        return self._left < 0

    def used(self) -> float:
        """Share of the rounds that are done or in progress."""
        done = self._iterations - max(self._left, 0)
        return done / self._iterations if self._iterations else 1.0


class NoImprovement(StoppingCriterion):
    """Stop after a number of consecutive rounds that did not improve the best cost."""

    def __init__(self, iterations: int) -> None:
        if whole_number(iterations, "the number of iterations") < 1:
            raise InputError(f"the number of iterations is {iterations}: it must be at least 1")
        self._patience = iterations
        self._best = math.inf
        self._idle = -1

    def __call__(self, best_cost: float) -> bool:
        """Whether there were too many rounds without improvement."""
        if best_cost < self._best:
            self._best = best_cost
            self._idle = 0
        else:
            self._idle += 1
        return self._idle >= self._patience


class TargetCost(StoppingCriterion):
    """Stop when the cost is at most this."""

    def __init__(self, cost: float) -> None:
        if math.isnan(real_number(cost, "the target cost")):
            raise InputError("the target cost is not a number")
        self._target = cost

    def __call__(self, best_cost: float) -> bool:
        """Whether the target is reached."""
        return best_cost <= self._target


class MultipleCriteria(StoppingCriterion):
    """Stop when any of several criteria is met."""

    def __init__(self, criteria: Sequence[Stop]) -> None:
        if not criteria:
            raise InputError("at least one criterion is needed")
        for criterion in criteria:
            require_stop(criterion)
        self._criteria = list(criteria)

    def __call__(self, best_cost: float) -> bool:
        """Whether any criterion is met; all are called, because each call counts a round."""
        answers = [criterion(best_cost) for criterion in self._criteria]
        return any(answers)

    def time_left(self) -> float:
        """Seconds until the first criterion is met."""
        return min(time_left(criterion) for criterion in self._criteria)

    def used(self) -> float | None:
        """Largest share of any criterion; None with `NoImprovement`.

        A search that knew its budget would take risks at first, and appear not to improve.
        """
        if any(isinstance(criterion, NoImprovement) for criterion in self._criteria):
            return None
        shares = [used(criterion) for criterion in self._criteria]
        return max((share for share in shares if share is not None), default=None)


def time_left(stop: Stop) -> float:
    """Seconds left; infinite for a plain callable."""
    return stop.time_left() if isinstance(stop, StoppingCriterion) else math.inf


def used(stop: Stop) -> float | None:
    """Share of the budget that is used; None for a plain callable."""
    return stop.used() if isinstance(stop, StoppingCriterion) else None


def require_stop(stop: object) -> None:
    """Raise an error if this is not a stopping criterion."""
    if not callable(stop):
        raise InputError(
            f"{excerpt(stop)} is not a stopping criterion: use a criterion or a function"
        )
