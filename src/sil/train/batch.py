"""A batch of training examples."""

from collections.abc import Callable

import numpy as np

from sil.policy.config import PolicyConfig
from sil.problem import Problem
from sil.segments import draw_length
from sil.solution import Solution
from sil.train.begun import Begun
from sil.train.config import Stage
from sil.train.states import Examples, concatenate, draw_begun_examples, draw_examples, mirrored

_STATES_A_CUT = 8


def draw_batch(
    size: int,
    stage: Stage,
    policy: PolicyConfig,
    indices: range,
    labelled: Callable[[int], tuple[Problem, Solution]],
    begun: Callable[[int], tuple[Problem, Begun]] | None,
    rng: np.random.Generator,
) -> Examples:
    """Draw a batch of states, each seen in a mirror of its own.

    Parameters
    ----------
    size
        How many states.
    stage
        How long partial solutions are, and how many of the policy's own making.
    policy
        What the network sees.
    indices
        The instances to draw from.
    labelled
        Returns an instance and its label.
    begun
        Returns an instance and what the policy has begun of it; None if there is none.
    rng
        Of all draws.
    """
    drawn: list[Examples] = []
    count = 0
    while count < size:
        index = indices[rng.integers(len(indices))]
        wanted = min(_STATES_A_CUT, size - count)
        if begun is not None and rng.random() < stage.own:
            drawn.append(draw_begun_examples(*begun(index), policy, wanted, rng))
        else:
            problem, solution = labelled(index)
            length = draw_length(problem.num_nodes, stage.longest, rng)
            drawn.append(draw_examples(problem, solution, policy, length, wanted, rng))
        count += len(drawn[-1])
    return mirrored(concatenate(drawn), policy, rng)
