"""HGS-CVRP, a binary that the user names."""

from sil.bench.method import Limits, missing_program
from sil.bench.peers.program import solved_by
from sil.problem import Problem
from sil.solution import Solution

_VARIABLE = "HGS"


class Hgs:
    """Hybrid genetic search with SWAP*, CVRP only."""

    name, timed = "HGS binary", True

    def missing(self, problem: Problem) -> str | None:
        """Tell whether the program is, or whether the problem is another one."""
        if problem.kind != "CVRP":
            return "it solves CVRP only"
        return missing_program(_VARIABLE)

    def prepare(self) -> None:
        """Nothing is to be imported."""

    def solve(self, problem: Problem, limits: Limits) -> Solution:
        """Run it for the time given."""
        options = ["-t", str(limits.seconds), "-it", str(2**31 - 1), "-seed", str(limits.seed)]
        return solved_by(
            _VARIABLE,
            problem,
            lambda program, file, result: [
                program, str(file), str(result / "best.sol"), *options
            ],
        )  # fmt: skip
