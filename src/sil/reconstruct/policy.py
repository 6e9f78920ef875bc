"""The learned policy as a reconstructor (paper, section Local Reconstruction)."""

from sil._native import Interrupt
from sil.errors import InputError
from sil.partial import PartialSolutions
from sil.policy.engine import PolicyEngine
from sil.problem import Problem
from sil.reconstruct.cut import SHORTEST, Cut, draw_cut
from sil.reconstruct.protocol import Round
from sil.reconstruct.segments import SegmentReconstructor
from sil.solution import Solution

_LONGEST = {"TSP": 1000, "CVRP": 300}
_LONGEST_WHOLE = 200_000  # most nodes that a first round rebuilds as one part, on one thread


class PolicyReconstructor(SegmentReconstructor):
    """Rebuilds partial solutions with the learned policy, greedily, as the paper does.

    Unlike the paper, a random half of the rounds shows the policy the mirror image.

    Parameters
    ----------
    policy
        The engine with the weights.
    longest
        The paper's l_max. Default: 1000 for TSP, as in the paper, and 300 for CVRP, because the
        shipped weights rebuild short parts better.
    whole_first
        Whether the first round of a run rebuilds a CVRP as a whole. After random insertion, most
        customers are in the wrong route, and smaller parts cannot correct that.
    """

    name = "policy"

    def __init__(
        self, policy: PolicyEngine, longest: int | None = None, whole_first: bool = False
    ) -> None:
        if longest is None:
            longest = _LONGEST[policy.config.problem]
        if longest < SHORTEST:
            raise InputError(f"l_max is {longest}: it must be at least {SHORTEST}")
        self.policy = policy
        self.longest = longest
        self.whole_first = whole_first

    def length(self, problem: Problem, this: Round) -> int:
        """Choose how long the parts of a round are."""
        if self.whole_first and this.number == 0 and problem.kind == "CVRP":
            return problem.num_nodes // -(-problem.num_nodes // _LONGEST_WHOLE)
        return super().length(problem, this)

    def cut(self, problem: Problem, solution: Solution, length: int, this: Round) -> Cut:
        """Cut the parts of a round."""
        return draw_cut(problem, solution, length, this.rng)

    def reconstruct(
        self,
        problem: Problem,
        parts: PartialSolutions,
        seed: int,
        threads: int,
        interrupt: Interrupt,
    ) -> PartialSolutions:
        """Return the parts as the policy rebuilds them; see `SegmentReconstructor`."""
        return self.policy.rebuild(
            problem,
            parts,
            mirrored=seed % 2 == 1,
            seed=seed,
            threads=threads,
            interrupt=interrupt,
        )
