"""FILO2, a binary that the user names."""

from sil.bench.method import Limits
from sil.bench.peers.program import ProgramPeer
from sil.problem import Problem
from sil.solution import Solution


class Filo2(ProgramPeer):
    """Its default of 100,000 iterations: it knows no time limit and is killed at ours."""

    name, variable, kind = "FILO2", "FILO2", "CVRP"

    def solve(self, problem: Problem, limits: Limits) -> Solution:
        """Run it to its end."""
        options = ["--seed", str(limits.seed)]
        return self._run(
            problem,
            lambda program, file, result: [program, str(file), "--outpath", str(result), *options],
        )
