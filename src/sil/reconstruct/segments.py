"""Reconstructors that rebuild runs of consecutive nodes (paper, Local Reconstruction)."""

from abc import ABC, abstractmethod

from sil._native import Interrupt
from sil.partial import PartialSolutions
from sil.problem import Problem
from sil.reconstruct.cut import Cut, cut, draw_length
from sil.reconstruct.protocol import Round
from sil.solution import Solution


class SegmentReconstructor(ABC):
    """Rebuilds runs of consecutive nodes between their fixed ends (paper, Local Reconstruction).

    Attributes
    ----------
    name
        Shown to people and written to results.
    longest
        The paper's l_max, the length of the longest partial solutions.
    """

    name: str
    longest: int

    def improve(self, problem: Problem, solution: Solution, this: Round) -> Solution:
        """Cut the solution into runs, rebuild them, and keep what is shorter."""
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
        """Return the rebuilt parts. A part may stay as it was.

        A rebuilt part may be longer or exceed the capacity: the caller then keeps the old one. When
        `interrupt` is set, this must return soon with what it has.
        """
