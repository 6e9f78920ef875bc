"""The interface of engines, which run a policy."""

from abc import ABC, abstractmethod

import numpy as np

from sil._native import Interrupt
from sil.errors import InputError, StoppedError
from sil.partial import PartialSolutions
from sil.policy.config import PolicyConfig
from sil.problem import Problem
from sil.seeds import generator
from sil.solution import Solution


class PolicyEngine(ABC):
    """A policy with its weights, ready to run on a CPU or another device.

    Attributes
    ----------
    config
        Its configuration, including the problem type.
    """

    config: PolicyConfig

    @abstractmethod
    def rebuild(
        self,
        problem: Problem,
        parts: PartialSolutions,
        *,
        sample: bool = False,
        mirrored: bool = False,
        seed: int = 0,
        threads: int = 1,
        interrupt: Interrupt | None = None,
    ) -> PartialSolutions:
        """Rebuild partial solutions between their ends (paper, section Local Reconstruction).

        Parameters
        ----------
        problem
            The problem that the parts belong to.
        parts
            The partial solutions to rebuild.
        sample
            Draw each node from the policy instead of taking the most probable one.
        mirrored
            Show the policy the mirror image, for which its choices differ a little.
        seed
            Seed of the random draws.
        threads
            Number of threads, which share the partial solutions.
        interrupt
            When set, the parts not yet rebuilt stay as they were.
        """

    def construct(
        self, problem: Problem, seed: int = 0, interrupt: Interrupt | None = None
    ) -> Solution:
        """Build a whole solution greedily (paper, appendix Generate the Initial Solution).

        It begins and ends at a random node, or for CVRP at the depot.
        """
        interrupt = interrupt or Interrupt()
        if problem.kind == "TSP":
            nodes = np.roll(problem.nodes, generator(seed).integers(problem.num_nodes))
            closed = PartialSolutions(np.append(nodes, nodes[0])[None])
            built = self.rebuild(problem, closed, interrupt=interrupt)
            StoppedError.raise_if(interrupt)
            return Solution(built.nodes[0, :-1])
        nodes = np.concatenate([[0], problem.nodes, [0]]).astype(np.int32)[None]
        nothing = np.zeros(1, dtype=np.int64)
        closed = PartialSolutions(nodes, np.ones(nodes.shape, dtype=np.bool_), nothing, nothing)
        built = self.rebuild(problem, closed, interrupt=interrupt)
        StoppedError.raise_if(interrupt)
        assert built.via_depot is not None
        flags = built.via_depot[0, 1:-1].copy()
        flags[0] = True
        return Solution(built.nodes[0, 1:-1], flags)

    def require_kind(self, problem: Problem) -> None:
        """Refuse a problem of the other type."""
        if problem.kind != self.config.problem:
            raise InputError(
                f"this policy is for {self.config.problem}, the problem is a {problem.kind}"
            )
