"""LKH, a program that the user provides."""

from pathlib import Path

from sil.bench.peers.program import ProgramPeer
from sil.bench.solver import Limits
from sil.problem import Problem
from sil.solution import Solution


class Lkh(ProgramPeer):
    """Lin-Kernighan-Helsgaun, TSP only, with its default parameters."""

    name, variable, kind = "LKH", "LKH", "TSP"
    where = " here"  # LKH-3 also solves CVRP, but we do not use it for that

    def solve(self, problem: Problem, limits: Limits) -> Solution:
        """Run it until the time limit."""

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

        return self._run(problem, command)
