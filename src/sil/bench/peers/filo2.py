"""FILO2, a program that the user provides."""

from sil.bench.peers.program import ProgramPeer
from sil.bench.solver import Limits
from sil.problem import Problem
from sil.solution import Solution


class Filo2(ProgramPeer):
    """FILO2 with its default of 100,000 iterations.

    It has no time limit of its own and is killed at ours.
    """

    name, variable, kind = "FILO2", "FILO2", "CVRP"

    def solve(self, problem: Problem, limits: Limits) -> Solution:
        """Run it to its end."""
        options = ["--seed", str(limits.seed)]
        return self._run(
            problem,
            lambda program, file, result: [program, str(file), "--outpath", str(result), *options],
        )
