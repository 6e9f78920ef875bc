"""Training examples: decoding states cut from solutions, with the node that came next."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sil.policy.config import Frame, PolicyConfig
from sil.policy.frame import Features
from sil.policy.native import observe
from sil.problem import Problem
from sil.segments import PartialSolutions, draw_cut
from sil.solution import Solution
from sil.train.begun import Begun


@dataclass(frozen=True)
class Examples:
    """States as the network sees them, and which of their actions are allowed, and right."""

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
    As many states come of long partial solutions as of short ones, as in a round of
    reconstruction. One whose next node is not among the candidates is left out.
    """
    parts = draw_cut(problem, solution, length, rng).parts
    row = rng.integers(0, len(parts), count)
    step = rng.integers(0, max(1, parts.nodes.shape[1] - 2), count)
    return examples_at(problem, parts.picked(row), step, config, any_route_next=True)


def draw_begun_examples(
    problem: Problem, begun: Begun, config: PolicyConfig, count: int, rng: np.random.Generator
) -> Examples:
    """Draw decoding states of partial solutions that the policy has begun."""
    row = rng.integers(0, len(begun.parts), count)
    step = rng.integers(begun.done, begun.parts.nodes.shape[1] - 2, count)
    return examples_at(problem, begun.parts.picked(row), step, config, any_route_next=True)


def every_example(problem: Problem, parts: PartialSolutions, config: PolicyConfig) -> Examples:
    """Take all decoding states of partial solutions, those of the first one first."""
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
    """Look at partial solutions when `step` (b,) inner nodes are visited.

    Parameters
    ----------
    problem
        The problem that they are part of.
    parts
        A partial solution for each state.
    step
        How many of its inner nodes are visited.
    config
        What the network sees.
    any_route_next
        Take the first node of any whole route to come for right where a route ends.
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
    """First nodes of the routes from `following` (o,) on, elsewhere -2; shape (o, w).

    Where one route ends, any of those to come may be the next: the solution stays the same. Only
    the last one must stay where it is if the destination is a node on it, and not the depot.
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
    """See each state in a mirror drawn at random: a solution is as good in all of them.

    The step frame is already turned, so only its second axis can be reversed; in the others both
    can, and be exchanged.
    """
    count = len(examples)
    flip_x, flip_y, swap = rng.random((3, count)) < 0.5
    if config.frame is Frame.STEP:
        flip_x, swap = np.zeros((2, count), dtype=np.bool_)
    width = 0.0 if config.frame is Frame.STEP else 1.0

    def turn(array: NDArray[np.float32], first: int, width: float) -> None:
        """Mirror two columns from `first` on: a place, or an offset, which has no width."""
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
        turn(seen.context, 1, width)  # the depot's place
    return replace(examples, features=seen)


def concatenate(examples: list[Examples]) -> Examples:
    """Join examples with different numbers of candidates by padding."""
    width = max(example.allowed.shape[1] for example in examples)

    def joined(arrays: list[NDArray]) -> NDArray:  # type: ignore[type-arg]
        """Join arrays (b, k, ...) with zeros where there are fewer candidates."""
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
