"""FILO2, a binary that the user names."""

from sil.bench.method import Limits, missing_program
from sil.bench.peers.program import solved_by
from sil.problem import Problem
from sil.solution import Solution

_VARIABLE = "FILO2"


class Filo2:
    """Its default of 100,000 iterations: it knows no time limit and is killed at ours."""

    name, timed = "FILO2", True

    def missing(self, problem: Problem) -> str | None:
        """Tell whether the program is, or whether the problem is another one."""
        if problem.kind != "CVRP":
            return "it solves CVRP only"
        return missing_program(_VARIABLE)

    def prepare(self) -> None:
        """Nothing is to be imported."""

    def solve(self, problem: Problem, limits: Limits) -> Solution:
        """Run it to its end."""
        return solved_by(
            _VARIABLE,
            problem,
            lambda program, file, result: [
                program, str(file), "--outpath", str(result), "--seed", str(limits.seed)
            ],
        )  # fmt: skip
