"""Our own methods, under the names of the paper's tables."""

from collections.abc import Callable
from pathlib import Path

from sil.bench.method import Limits, Method
from sil.construct import construct
from sil.errors import InputError
from sil.policy.native import NativePolicy
from sil.policy.weights import load
from sil.problem import Problem
from sil.reconstruct import reconstructors_named
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
        solve: Callable[[Problem, Limits, Path | str], Solution],
        timed: bool = False,
        weights: Path | str = "fast",
    ) -> None:
        self.name, self.timed = name, timed
        self._solve, self._weights = solve, weights

    def missing(self, problem: Problem) -> str | None:
        """Tell whether the weights are, or whether they are for another problem."""
        if isinstance(self._weights, str):
            return None
        try:
            config, _ = load(self._weights)
        except InputError as error:
            return str(error)
        return None if config.problem == problem.kind else f"the weights are for {config.problem}"

    def prepare(self) -> None:
        """Import what the search and the policy import where they need it."""
        import scipy.spatial  # noqa: F401

    def solve(self, problem: Problem, limits: Limits) -> Solution:
        """Solve the problem."""
        return self._solve(problem, limits, self._weights)

    def using(self, name: str, weights: Path) -> "Ours":
        """Make the same method with other weights, under another name."""
        return Ours(name, self._solve, self.timed, weights)


def _insertion(problem: Problem, limits: Limits, weights: Path | str) -> Solution:
    del weights
    return construct(problem, "insertion", limits.seed)


def _greedy(problem: Problem, limits: Limits, weights: Path | str) -> Solution:
    return NativePolicy.load(problem, weights).construct(problem, limits.seed)


def _rounds(count: int) -> Method:
    """PRC: so many rounds of reconstruction by the policy, from random insertion."""

    def improve(problem: Problem, limits: Limits, weights: Path | str) -> Solution:
        return solve(
            problem,
            MaxIterations(count),
            limits.seed,
            start="insertion",
            reconstructors=reconstructors_named(
                "policy", lambda: NativePolicy.load(problem, weights)
            ),
            threads=limits.threads,
        ).best

    return Ours(f"PRC{count}", improve)


def _timed(name: str) -> Method:
    """Make a method of `sil solve`, from its best first solution until the time is up."""

    def improve(problem: Problem, limits: Limits, weights: Path | str) -> Solution:
        return solve(
            problem,
            MaxRuntime(limits.seconds),
            limits.seed,
            reconstructors=reconstructors_named(name, lambda: NativePolicy.load(problem, weights)),
            threads=limits.threads,
        ).best

    return Ours(name, improve, timed=True)


OURS: list[Method] = [
    Ours("insertion", _insertion),
    Ours("greedy", _greedy),
    *(_rounds(count) for count in (2, 10, 50, 100, 500, 1000)),
    *(_timed(name) for name in ("policy", "search", "auto")),
]
