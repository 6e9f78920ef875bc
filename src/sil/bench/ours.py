"""Our own methods, under the names of the paper's tables."""

from sil.bench.method import Limits, Method
from sil.construct import construct
from sil.policy.native import NativePolicy
from sil.problem import Problem
from sil.reconstruct import reconstructors_named
from sil.solution import Solution
from sil.solve import solve
from sil.stop import MaxIterations, MaxRuntime


class Construction:
    """A first solution as it is: random insertion, or the policy's greedy construction."""

    timed = False

    def __init__(self, name: str, start: str) -> None:
        self.name, self._start = name, start

    def missing(self, problem: Problem) -> str | None:
        """Nothing is."""
        del problem
        return None

    def solve(self, problem: Problem, limits: Limits) -> Solution:
        """Construct a solution."""
        return construct(problem, self._start, seed=limits.seed)


class Rounds:
    """PRC: so many rounds of reconstruction by the policy, from random insertion."""

    timed = False

    def __init__(self, rounds: int) -> None:
        self.name, self._rounds = f"PRC{rounds}", rounds

    def missing(self, problem: Problem) -> str | None:
        """Nothing is."""
        del problem
        return None

    def solve(self, problem: Problem, limits: Limits) -> Solution:
        """Improve a random insertion for so many rounds."""
        made = reconstructors_named("policy", lambda: NativePolicy.load(problem))
        stop = MaxIterations(self._rounds)
        result = solve(
            problem,
            stop,
            limits.seed,
            start="insertion",
            reconstructors=made,
            threads=limits.threads,
        )
        return result.best


class Timed:
    """A method of `sil solve` with a time limit."""

    timed = True

    def __init__(self, name: str) -> None:
        self.name = name

    def missing(self, problem: Problem) -> str | None:
        """Nothing is."""
        del problem
        return None

    def solve(self, problem: Problem, limits: Limits) -> Solution:
        """Improve the best first solution until the time is up."""
        made = reconstructors_named(self.name, lambda: NativePolicy.load(problem))
        stop = MaxRuntime(limits.seconds)
        result = solve(problem, stop, limits.seed, reconstructors=made, threads=limits.threads)
        return result.best


OURS: list[Method] = [
    Construction("insertion", "insertion"),
    Construction("greedy", "policy"),
    *(Rounds(count) for count in (2, 10, 50, 100, 500, 1000)),
    *(Timed(name) for name in ("policy", "search", "auto")),
]
