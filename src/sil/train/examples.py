"""Training examples: decoding states cut from solutions, with the node that comes next."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sil.partial import PartialSolutions
from sil.policy.config import Frame, PolicyConfig
from sil.policy.features import Features
from sil.policy.native import observe
from sil.problem import Problem
from sil.reconstruct.cut import draw_cut
from sil.solution import Solution
from sil.train.own_states import OwnStates


@dataclass(frozen=True)
class Examples:
    """States as the network sees them, and which of their actions are allowed and right."""

    features: Features
    allowed: NDArray[np.bool_]  # (b, k, actions)
    right: NDArray[np.bool_]  # (b, k, actions), at least one in each state

    def __len__(self) -> int:
        return len(self.right)


def draw_examples(
    problem: Problem,
    solution: Solution,
    config: PolicyConfig,
    length: int,
    count: int,
    rng: np.random.Generator,
) -> Examples:
    """Cut partial solutions of `length` nodes and draw `count` of their decoding states.

    (Paper, section Training to Improve Model Performance; single states instead of whole passes.)
    Long partial solutions give as many states as short ones, as in a round of reconstruction.
    States whose next node is not among the candidates are left out.
    """
    parts = draw_cut(problem, solution, length, rng).parts
    row = rng.integers(0, len(parts), count)
    step = rng.integers(0, max(1, parts.nodes.shape[1] - 2), count)
    return examples_at(problem, parts.picked(row), step, config, any_route_next=True)


def draw_own_examples(
    problem: Problem, own: OwnStates, config: PolicyConfig, count: int, rng: np.random.Generator
) -> Examples:
    """Draw decoding states that the policy reached itself."""
    row = rng.integers(0, len(own.parts), count)
    step = rng.integers(own.done, own.parts.nodes.shape[1] - 2, count)
    return examples_at(problem, own.parts.picked(row), step, config, any_route_next=True)


def every_example(problem: Problem, parts: PartialSolutions, config: PolicyConfig) -> Examples:
    """Take all decoding states of partial solutions, one partial solution after the other."""
    count, length = parts.nodes.shape
    row = np.repeat(np.arange(count), length - 2)
    return examples_at(problem, parts.picked(row), np.tile(np.arange(length - 2), count), config)


def examples_at(
    problem: Problem,
    parts: PartialSolutions,
    step: NDArray[np.int64],
    config: PolicyConfig,
    any_route_next: bool = False,
) -> Examples:
    """Take the states of partial solutions after `step` (b,) inner nodes.

    Parameters
    ----------
    problem
        The problem that they belong to.
    parts
        A partial solution for each state.
    step
        How many of its inner nodes have been visited.
    config
        What the network sees.
    any_route_next
        Where a route ends, accept the first node of any remaining whole route as right.
    """
    seen = observe(config, problem, parts, step)
    candidates, valid = seen.candidates, seen.features.valid
    rows, following = np.arange(len(parts)), step + 1
    is_next = candidates == parts.nodes[rows, following][:, None]  # (b, k)
    allowed, right = valid[..., None], is_next[..., None]
    if problem.demand is not None and parts.via_depot is not None:
        direct = problem.demand[candidates] <= seen.remaining[:, None]
        allowed = np.stack([valid & direct, valid], axis=-1)
        opens = parts.via_depot[rows, following]
        right = np.stack([is_next & ~opens[:, None], is_next & opens[:, None]], axis=-1)
        if any_route_next and opens.any():
            begins = _first_nodes(parts.picked(rows[opens]), following[opens])  # (o, w)
            same = candidates[opens][..., None] == begins[:, None]  # (o, k, w)
            right[opens, :, 1] = same.any(axis=2)
    right &= allowed
    keep = right.any(axis=(1, 2))
    kept = Features(*(array[keep] for array in seen.features.arrays()))
    return Examples(kept, allowed[keep], right[keep])


def _first_nodes(parts: PartialSolutions, following: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the first nodes of the routes from `following` (o,) on, elsewhere -2; shape (o, w).

    Where a route ends, any remaining route may come next: the solution is the same. Only the last
    route must stay in its place, unless the destination is the depot.
    """
    begins = parts.via_depot
    assert begins is not None
    place = np.arange(begins.shape[1])
    last = begins.shape[1] - 1 - begins[:, ::-1].argmax(axis=1)
    movable = (place < last[:, None]) | (parts.nodes[:, -1:] == 0)
    first = begins & (place >= following[:, None]) & movable
    first |= (place == following[:, None]) & (following == last)[:, None]
    return np.where(first, parts.nodes, np.int32(-2))


def mirrored(examples: Examples, config: PolicyConfig, rng: np.random.Generator) -> Examples:
    """Replace each state by a random mirror image, for which the label is equally good.

    The step frame has a fixed first axis, so only the second one is reversed. In the other frames
    both axes may be reversed and swapped.
    """
    count = len(examples)
    flip_x, flip_y, swap = rng.random((3, count)) < 0.5
    if config.frame is Frame.STEP:
        flip_x, swap = np.zeros((2, count), dtype=np.bool_)
    width = 0.0 if config.frame is Frame.STEP else 1.0

    def turn(array: NDArray[np.float32], first: int, width: float) -> None:
        """Mirror the columns `first` and `first` + 1: a place, or an offset (width 0)."""
        shape = (count,) + (1,) * (array.ndim - 2)
        x, y = array[..., first], array[..., first + 1]
        x = np.where(flip_x.reshape(shape), width - x, x)
        y = np.where(flip_y.reshape(shape), width - y, y)
        array[..., first] = np.where(swap.reshape(shape), y, x)
        array[..., first + 1] = np.where(swap.reshape(shape), x, y)

    of = examples.features
    seen = Features(*(array.copy() for array in of.arrays()))
    for array in (seen.nodes, seen.start, seen.destination):
        turn(array, 0, width)
    for first in range(config.num_features - 3 * config.neighbours, config.num_features, 3):
        turn(seen.nodes, first, 0.0)
    if config.num_context:
        turn(seen.context, 1, width)  # the position of the depot
    return replace(examples, features=seen)


def concatenate(examples: list[Examples]) -> Examples:
    """Join examples with different numbers of candidates by padding."""
    width = max(example.allowed.shape[1] for example in examples)

    def joined(arrays: list[NDArray]) -> NDArray:  # type: ignore[type-arg]
        """Join arrays (b, k, ...), padded with zeros to the same number of candidates."""
        count, shape = sum(map(len, arrays)), arrays[0].shape
        result = np.zeros((count, width, *shape[2:]), dtype=arrays[0].dtype)
        at = 0
        for array in arrays:
            result[at : at + len(array), : array.shape[1]] = array
            at += len(array)
        return result

    seen = [example.features for example in examples]
    return Examples(
        Features(
            joined([each.nodes for each in seen]),
            np.concatenate([each.start for each in seen]),
            np.concatenate([each.destination for each in seen]),
            np.concatenate([each.context for each in seen]),
            joined([each.valid for each in seen]),
        ),
        joined([example.allowed for example in examples]),
        joined([example.right for example in examples]),
    )
