"""HGS-CVRP, a program that the user provides."""

from sil.bench.peers.program import ProgramPeer
from sil.bench.solver import Limits
from sil.problem import Problem
from sil.solution import Solution


class Hgs(ProgramPeer):
    """Hybrid genetic search with SWAP*, CVRP only."""

    name, variable, kind = "HGS binary", "HGS", "CVRP"
    largest = 50_000  # it refuses distances above 100,000

    def solve(self, problem: Problem, limits: Limits) -> Solution:
        """Run it until the time limit."""
        options = ["-t", str(limits.seconds), "-it", str(2**31 - 1), "-seed", str(limits.seed)]
        return self._run(
            problem,
            lambda program, file, result: [program, str(file), str(result / "best.sol"), *options],
        )
