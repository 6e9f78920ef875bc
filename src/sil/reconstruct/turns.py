"""Turns: divides the rounds of a run among reconstructors by what each gains."""

from collections.abc import Sequence

from sil.reconstruct.protocol import Reconstructor
from sil.result import Share

_MEMORY = 0.7  # weight of earlier rounds in the gain of a reconstructor
_TRIAL_SHARE = 0.02  # largest share of the run for trials of one that gains less


class Turns:
    """Gives each round to the reconstructor that gains most for its cost.

    The others get a trial from time to time, for a small share of the run, because some gain more
    later than at first.

    Parameters
    ----------
    reconstructors
        The reconstructors that take turns.
    seconds
        Time limit of the run; the cost of a round is then its time. None if time does not limit the
        run; all rounds then cost the same, so that equal seeds give equal turns.
    """

    def __init__(self, reconstructors: Sequence[Reconstructor], seconds: float | None) -> None:
        self._reconstructors = list(reconstructors)
        self._run_seconds = seconds
        count = len(self._reconstructors)
        self._rate = [0.0] * count
        self._rounds, self._seconds, self._gain = [0] * count, [0.0] * count, [0.0] * count

    def next(self) -> int:
        """Return the index of the reconstructor whose turn it is."""
        spent = self._rounds if self._run_seconds is None else self._seconds
        ranked = sorted(range(len(self._reconstructors)), key=lambda i: -self._rate[i])
        for i in ranked:
            if self._rounds[i] == 0:
                return i
        waiting = [i for i in ranked[1:] if spent[i] < _TRIAL_SHARE / 2 * sum(spent)]
        return waiting[0] if waiting else ranked[0]

    def limit(self, number: int) -> float | None:
        """Return the seconds that this turn may last. With a time limit, trials are short."""
        if self._run_seconds is None or number == self._leader():
            return None
        return max(0.1, _TRIAL_SHARE / 2 * self._run_seconds)

    def record(self, number: int, seconds: float, gain: float, is_best: bool = True) -> None:
        """Record the time of a round, and by how much the best cost fell.

        If a round ends with a solution that is not the best, as in annealing, it cannot be judged
        yet: its gain shows later. The rate of its reconstructor then stays unchanged.
        """
        if is_best or self._rounds[number] == 0:
            past = _MEMORY if self._rounds[number] else 0.0
            rate = gain if self._run_seconds is None else gain / max(seconds, 1e-9)
            self._rate[number] = past * self._rate[number] + (1 - past) * rate
        self._rounds[number] += 1
        self._seconds[number] += seconds
        self._gain[number] += gain

    def shares(self) -> tuple[Share, ...]:
        """Return the rounds, time and gain of each reconstructor."""
        return tuple(
            Share(each.name, self._rounds[i], self._seconds[i], self._gain[i])
            for i, each in enumerate(self._reconstructors)
        )

    def _leader(self) -> int:
        return max(range(len(self._rate)), key=lambda i: self._rate[i])
