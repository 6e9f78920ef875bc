"""Our own methods, under the names of the paper's tables."""

from collections.abc import Callable
from pathlib import Path

from sil.bench.fingerprint import own_code
from sil.bench.method import Limits, Method
from sil.construct import construct
from sil.errors import InputError
from sil.methods import method_named
from sil.policy.native import NativePolicy
from sil.policy.weights import load, pretrained_checksum
from sil.problem import Problem
from sil.solution import Solution
from sil.solve import solve
from sil.stop import MaxIterations, MaxRuntime


class Ours:
    """A method of this package, which is always there.

    Parameters
    ----------
    name
        In tables.
    solve
        Does it, with the limits and the weights named.
    timed
        Whether it runs until its time is up.
    weights
        A file of weights; by default those that we ship.
    """

    def __init__(
        self,
        name: str,
        solve: Callable[[Problem, Limits, Path | None], Solution],
        timed: bool = False,
        weights: Path | None = None,
    ) -> None:
        self.name, self.timed = name, timed
        self._solve, self._weights = solve, weights

    @property
    def version(self) -> str:
        """Our code, and the weights that come with the package."""
        return f"code {own_code()}, weights {pretrained_checksum()}"

    def missing(self, problem: Problem) -> str | None:
        """Tell whether the weights are, or whether they are for another problem."""
        if self._weights is None:
            return None
        try:
            config, _ = load(self._weights)
        except InputError as error:
            return str(error)
        return None if config.problem == problem.kind else f"the weights are for {config.problem}"

    def prepare(self) -> None:
        """Do nothing: all that is needed is imported."""

    def solve(self, problem: Problem, limits: Limits) -> Solution:
        """Solve the problem."""
        return self._solve(problem, limits, self._weights)

    def using(self, name: str, weights: Path) -> "Ours":
        """Make the same method with other weights, under another name."""
        return Ours(name, self._solve, self.timed, weights)


def _insertion(problem: Problem, limits: Limits, weights: Path | None) -> Solution:
    del weights
    return construct(problem, "insertion", limits.seed)


def _greedy(problem: Problem, limits: Limits, weights: Path | None) -> Solution:
    return NativePolicy.load(problem, weights or "fast").construct(problem, limits.seed)


def _improving(name: str, method: str, rounds: int | None = None) -> Method:
    """Make a method of `sil solve`: PRC for so many rounds, others until the time is up."""

    def improve(problem: Problem, limits: Limits, weights: Path | None) -> Solution:
        return solve(
            problem,
            MaxIterations(rounds) if rounds else MaxRuntime(limits.seconds),
            limits.seed,
            method=method_named(method, problem, policy=weights),
            threads=limits.threads,
        ).best

    return Ours(name, improve, timed=rounds is None)


OURS: list[Method] = [
    Ours("insertion", _insertion),
    Ours("greedy", _greedy),
    *(_improving(f"PRC{rounds}", "policy", rounds) for rounds in (2, 10, 50, 100, 500, 1000)),
    *(_improving(name, name) for name in ("policy", "search", "auto")),
]
