"""Reconstructors: what rebuilds parts of a solution, in the hope that they get shorter."""

from abc import ABC, abstractmethod

from sil import _native
from sil._native import Interrupt
from sil.errors import InputError
from sil.policy.native import NativePolicy
from sil.problem import Problem
from sil.round import Round
from sil.segments import SHORTEST, Cut, PartialSolutions, cut, draw_cut, draw_length
from sil.solution import Solution

_LONGEST = {"TSP": 1000, "CVRP": 300}
_LONGEST_WHOLE = 200_000  # nodes that a first round rebuilds as one part, on one thread


class SegmentReconstructor(ABC):
    """Rebuilds runs of consecutive nodes between their fixed ends (paper, Local Reconstruction).

    Attributes
    ----------
    name
        Shown to people and written to results.
    longest
        The paper's l_max: longer partial solutions are not asked for.
    """

    name: str
    longest: int

    def improve(self, problem: Problem, solution: Solution, this: Round) -> Solution:
        """Cut the solution into runs, rebuild them, and keep those that got shorter."""
        pieces = self.cut(problem, solution, self.length(problem, this), this)
        seed = int(this.rng.integers(2**62))
        rebuilt = self.reconstruct(problem, pieces.parts, seed, this.threads, this.interrupt)
        candidate, gain = pieces.merge(problem, rebuilt)
        return candidate if gain > 0 else solution

    def length(self, problem: Problem, this: Round) -> int:
        """Choose how long the parts of a round are."""
        return draw_length(problem.num_nodes, self.longest, this.rng)

    def cut(self, problem: Problem, solution: Solution, length: int, this: Round) -> Cut:
        """Cut the parts of a round."""
        return cut(problem, solution, length, this.rng)

    @abstractmethod
    def reconstruct(
        self,
        problem: Problem,
        parts: PartialSolutions,
        seed: int,
        threads: int,
        interrupt: Interrupt,
    ) -> PartialSolutions:
        """Return the parts rebuilt; one that found nothing better may stay as it was.

        A reconstruction need not be shorter nor fit the capacity: the caller compares, and keeps
        the old one. When `interrupt` is set it returns soon, with what it has.
        """


class ExactReconstructor(SegmentReconstructor):
    """Finds the best order of short partial solutions by trying all of them.

    Parameters
    ----------
    longest
        At most 10: the time doubles and redoubles with each node.
    """

    name = "exact"

    def __init__(self, longest: int = 8) -> None:
        if not SHORTEST <= longest <= _native.MAX_EXACT_LENGTH:
            raise InputError(
                f"the longest partial solution is {longest}: an exhaustive search takes "
                f"{SHORTEST} to {_native.MAX_EXACT_LENGTH} nodes"
            )
        self.longest = longest

    def reconstruct(
        self,
        problem: Problem,
        parts: PartialSolutions,
        seed: int,
        threads: int,
        interrupt: Interrupt,
    ) -> PartialSolutions:
        """Return the best reconstruction there is; see `SegmentReconstructor`."""
        del seed
        rebuilt = parts.copy()
        _native.reconstruct_exactly(
            problem.geometry,
            rebuilt.nodes,
            rebuilt.via_depot,
            parts.load_before,
            parts.load_after,
            problem.demand,
            problem.capacity or 0,
            threads,
            interrupt,
        )
        return rebuilt


class PolicyReconstructor(SegmentReconstructor):
    """Rebuilds partial solutions with the learned policy, greedily, as the paper does.

    Past the paper: half of the rounds, drawn at random, show the policy the mirror image.

    Parameters
    ----------
    policy
        The engine with its weights.
    longest
        The paper's l_max; by default 1000 as there for TSP, and 300 for CVRP, of which the shipped
        weights rebuild short parts better.
    whole_first
        Whether the first round of a run rebuilds a CVRP as a whole. After random insertion most
        customers are in the wrong route, and a part mends only what is wrong inside it.
    """

    name = "policy"

    def __init__(
        self, policy: NativePolicy, longest: int | None = None, whole_first: bool = False
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
        """Return what the policy makes of the parts; see `SegmentReconstructor`."""
        return self.policy.rebuild(
            problem,
            parts,
            mirrored=seed % 2 == 1,
            seed=seed,
            threads=threads,
            interrupt=interrupt,
        )
