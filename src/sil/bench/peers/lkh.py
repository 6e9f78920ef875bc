"""LKH, a binary that the user names."""

from pathlib import Path

from sil.bench.method import Limits, missing_program
from sil.bench.peers.program import solved_by
from sil.problem import Problem
from sil.solution import Solution

_VARIABLE = "LKH"


class Lkh:
    """Lin-Kernighan-Helsgaun, TSP only, with its default parameters."""

    name, timed = "LKH", True

    def missing(self, problem: Problem) -> str | None:
        """Tell whether the program is, or whether the problem is another one."""
        if problem.kind != "TSP":
            return "it solves TSP only here"
        return missing_program(_VARIABLE)

    def prepare(self) -> None:
        """Nothing is to be imported."""

    def solve(self, problem: Problem, limits: Limits) -> Solution:
        """Run it for the time given."""

        def command(program: str, file: Path, result: Path) -> list[str]:
            parameters = {
                "PROBLEM_FILE": file,
                "OUTPUT_TOUR_FILE": result / "best.tour",
                "TIME_LIMIT": limits.seconds,
                "SEED": limits.seed + 1,
                "RUNS": 1,
                "TRACE_LEVEL": 0,
            }
            text = "\n".join(f"{name} = {value}" for name, value in parameters.items())
            (result / "parameters").write_text(text + "\n", encoding="utf-8")
            return [program, str(result / "parameters")]

        return solved_by(_VARIABLE, problem, command)
