"""Batches of training examples, drawn from the labels of one episode."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from sil.policy.config import PolicyConfig
from sil.problem import Problem
from sil.reconstruct.cut import draw_length
from sil.solution import Solution
from sil.train.config import Stage
from sil.train.examples import Examples, concatenate, draw_examples, draw_own_examples, mirrored
from sil.train.own_states import OwnStates
from sil.train.pool import Pool

_STATES_PER_CUT = 8
_CACHED_NODES = 4_000_000


class Batches:
    """Draws batches of states, each state in a mirror image of its own.

    Parameters
    ----------
    stage
        How long partial solutions are, and the share of states that the policy itself reached.
    policy
        What the network sees.
    indices
        The instances to draw from.
    labels
        The instances and their labels.
    own
        The same instances with what the policy has begun; None if there is nothing.
    own_seed
        Returns the seed with which the policy has begun an instance.
    episode
        The episode whose solutions to take from both pools.
    """

    def __init__(
        self,
        stage: Stage,
        policy: PolicyConfig,
        indices: range,
        labels: Pool,
        own: Pool | None,
        own_seed: Callable[[int], int],
        episode: int,
    ) -> None:
        self._stage, self._policy, self._indices = stage, policy, indices
        kept = lru_cache(maxsize=max(16, _CACHED_NODES // labels.dimension))

        @kept
        def labelled(index: int) -> tuple[Problem, Solution]:
            return labels.problem(index), labels.solution(index, episode)

        @kept
        def own_states(index: int) -> tuple[Problem, OwnStates]:
            assert own is not None
            problem, label = labelled(index)
            completed = own.solution(index, episode)
            states = OwnStates.of(problem, label, completed, stage.longest, own_seed(index))
            return problem, states

        self._labelled = labelled
        self._own_states = None if own is None else own_states

    def draw(self, size: int, rng: np.random.Generator) -> Examples:
        """Draw a batch of `size` states."""
        drawn: list[Examples] = []
        count = 0
        while count < size:
            index = self._indices[rng.integers(len(self._indices))]
            wanted = min(_STATES_PER_CUT, size - count)
            drawn.append(self._draw_from(index, wanted, rng))
            count += len(drawn[-1])
        return mirrored(concatenate(drawn), self._policy, rng)

    def _draw_from(self, index: int, count: int, rng: np.random.Generator) -> Examples:
        if self._own_states is not None and rng.random() < self._stage.own:
            return draw_own_examples(*self._own_states(index), self._policy, count, rng)
        problem, label = self._labelled(index)
        length = draw_length(problem.num_nodes, self._stage.longest, rng)
        return draw_examples(problem, label, self._policy, length, count, rng)
