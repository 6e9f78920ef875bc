"""Our own methods, under the names of the paper's tables."""

from collections.abc import Callable
from pathlib import Path

from sil.bench.fingerprint import own_code
from sil.bench.method_name import PRC, MethodName
from sil.bench.solver import Limits
from sil.construct import construct
from sil.errors import InputError
from sil.methods import method_named
from sil.policy.native import NativePolicy
from sil.policy.weights import load, pretrained_checksum
from sil.problem import Problem
from sil.solution import Solution
from sil.solve import solve
from sil.stop import MaxIterations, MaxRuntime


class OwnMethod:
    """A method of this package, which is always available.

    Parameters
    ----------
    name
        The name in tables.
    solve
        Solves a problem within the limits, with a weights file or, if None, the shipped weights.
    timed
        Whether it runs until its time is up.
    weights
        A weights file. Default: the shipped weights.
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
        """Our code and the shipped weights."""
        return f"code {own_code()}, weights {pretrained_checksum()}"

    def missing(self, problem: Problem) -> str | None:
        """Return the reason if the weights cannot be read or are for another kind of problem."""
        if self._weights is None:
            return None
        try:
            config, _ = load(self._weights)
        except InputError as error:
            return str(error)
        return None if config.problem == problem.kind else f"the weights are for {config.problem}"

    def prepare(self) -> None:
        """Do nothing: everything is imported already."""

    def solve(self, problem: Problem, limits: Limits) -> Solution:
        """Solve the problem."""
        return self._solve(problem, limits, self._weights)

    def using(self, weights: Path) -> "OwnMethod":
        """Return the same method with other weights."""
        return OwnMethod(self.name, self._solve, self.timed, weights)


def _insertion(problem: Problem, limits: Limits, weights: Path | None) -> Solution:
    del weights
    return construct(problem, "insertion", limits.seed)


def _greedy(problem: Problem, limits: Limits, weights: Path | None) -> Solution:
    return NativePolicy.load(problem, weights or "fast").construct(problem, limits.seed)


def _improving(name: MethodName, method: str) -> OwnMethod:
    """Run a method of `sil solve`: PRC for its number of rounds, others until the time is up."""
    rounds = name.rounds

    def improve(problem: Problem, limits: Limits, weights: Path | None) -> Solution:
        return solve(
            problem,
            MaxIterations(rounds) if rounds else MaxRuntime(limits.seconds),
            limits.seed,
            method=method_named(method, problem, policy=weights),
            threads=limits.threads,
        ).best

    return OwnMethod(name.plain, improve, timed=rounds is None)


OWN_METHODS: list[OwnMethod] = [
    OwnMethod("insertion", _insertion),
    OwnMethod("greedy", _greedy),
    *(_improving(MethodName(PRC, rounds), "policy") for rounds in (2, 10, 50, 100, 500, 1000)),
    *(_improving(MethodName(name), name) for name in ("policy", "search", "auto")),
]
