"""Partial solutions that the policy begins and native search completes, as further labels (TSP).

Good solutions alone never show what the policy comes to by its own mistakes. Here it rebuilds
partial solutions up to some node; from there on k-opt finds a good order, so that these states have
labels too (dataset aggregation, Ross and others, 2011).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sil import _native
from sil._native import Interrupt
from sil.errors import StoppedError
from sil.neighbours import spread
from sil.policy.native import NativePolicy
from sil.problem import Problem
from sil.segments import cut, draw_length
from sil.solution import Solution

_LEAST_LEFT = 4  # inner nodes to complete
_NEIGHBOURS = 8
_KICKS = 4.0  # a node


@dataclass(frozen=True)
class Begun:
    """Partial solutions of which the policy has chosen the first few nodes.

    Parameters
    ----------
    nodes
        Shape (m, w).
    done
        How many of the inner nodes of each are the policy's choice.
    """

    nodes: NDArray[np.int32]
    done: int

    @classmethod
    def of(cls, solution: Solution, longest: int, seed: int) -> "Begun":
        """Cut up again what `begin_and_complete` has made with this seed."""
        length, done = _drawn(len(solution.nodes), longest, np.random.default_rng(seed))
        count = len(solution.nodes) // length
        return cls(solution.nodes[: count * length].reshape(count, length), done)


def begin_and_complete(
    problem: Problem,
    solution: Solution,
    policy: NativePolicy,
    longest: int,
    seed: int,
    interrupt: Interrupt,
) -> Solution:
    """Let the policy begin partial solutions of a good tour, and the search complete them.

    Parameters
    ----------
    problem
        The instance.
    solution
        A good tour.
    policy
        Begins.
    longest
        The paper's l_max.
    seed
        Of all draws.
    interrupt
        Ends it with `StoppedError`.
    """
    rng = np.random.default_rng(seed)
    length, done = _drawn(problem.num_nodes, longest, rng)
    pieces = cut(problem, solution, length, rng)
    nodes = policy.rebuild(problem, pieces.parts, interrupt=interrupt).nodes
    rest = nodes[:, done:]  # from the node reached last to the far end
    order = _native.improve_order(
        problem.geometry,
        rest.ravel(),
        np.arange(0, rest.size, rest.shape[1], dtype=np.int32),
        True,
        spread(problem, problem.nodes, _NEIGHBOURS, interrupt),
        _KICKS,
        int(rng.integers(2**62)),
        1,
        interrupt,
    )
    StoppedError.raise_if(interrupt)
    nodes[:, done:] = order.reshape(rest.shape)
    outside = np.roll(pieces.nodes, -pieces.offset)[nodes.size :]
    return Solution(np.concatenate([nodes.ravel(), outside]))


def _drawn(num_nodes: int, longest: int, rng: np.random.Generator) -> tuple[int, int]:
    """Draw the length of the partial solutions, and how far the policy goes."""
    length = draw_length(num_nodes, longest, rng)
    length = min(max(length, _LEAST_LEFT + 3), num_nodes)
    return length, int(rng.integers(0, max(1, length - 2 - _LEAST_LEFT)))
