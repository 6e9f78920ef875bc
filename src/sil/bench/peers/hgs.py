"""HGS-CVRP, a binary that the user names."""

from sil.bench.method import Limits
from sil.bench.peers.program import ProgramPeer
from sil.problem import Problem
from sil.solution import Solution


class Hgs(ProgramPeer):
    """Hybrid genetic search with SWAP*, CVRP only."""

    name, variable, kind = "HGS binary", "HGS", "CVRP"
    largest = 50_000  # it refuses distances above 100,000

    def solve(self, problem: Problem, limits: Limits) -> Solution:
        """Run it for the time given."""
        options = ["-t", str(limits.seconds), "-it", str(2**31 - 1), "-seed", str(limits.seed)]
        return self._run(
            problem,
            lambda program, file, result: [program, str(file), str(result / "best.sol"), *options],
        )
