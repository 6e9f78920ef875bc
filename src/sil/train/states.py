"""Training examples: decoding states cut from solutions, with the node that came next."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sil import _native
from sil.policy.config import Frame, PolicyConfig
from sil.policy.frame import Features
from sil.policy.native import box_of, shape_of
from sil.problem import Problem
from sil.segments import PartialSolutions, cut
from sil.solution import Solution
from sil.train.begun import Begun


@dataclass(frozen=True)
class Examples:
    """States as the network sees them, and the index of the right action in (k, actions)."""

    features: Features
    allowed: NDArray[np.bool_]  # (b, k, actions)
    label: NDArray[np.int64]


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
    parts = cut(problem, solution, length, rng).parts
    row = rng.integers(0, len(parts), count)
    step = rng.integers(0, max(1, length - 2), count)
    return _examples_at(problem, parts.picked(row), step, config)


def draw_begun_examples(
    problem: Problem, begun: Begun, config: PolicyConfig, count: int, rng: np.random.Generator
) -> Examples:
    """Draw decoding states of partial solutions that the policy has begun."""
    row = rng.integers(0, len(begun.nodes), count)
    step = rng.integers(begun.done, begun.nodes.shape[1] - 2, count)
    return _examples_at(problem, PartialSolutions(begun.nodes[row]), step, config)


def every_example(problem: Problem, parts: PartialSolutions, config: PolicyConfig) -> Examples:
    """Take all decoding states of partial solutions, those of the first one first."""
    count, length = parts.nodes.shape
    row = np.repeat(np.arange(count), length - 2)
    return _examples_at(problem, parts.picked(row), np.tile(np.arange(length - 2), count), config)


def _examples_at(
    problem: Problem, parts: PartialSolutions, step: NDArray[np.int64], config: PolicyConfig
) -> Examples:
    candidates, remaining, *seen = _native.observe(
        shape_of(config),
        problem.layout,
        parts.nodes,
        parts.via_depot,
        parts.load_before,
        parts.load_after,
        problem.demand,
        problem.capacity or 0,
        box_of(problem, config.frame),
        step,
    )
    rows, following = np.arange(len(parts)), step + 1
    valid = candidates >= 0
    allowed = valid[..., None]
    via = np.zeros(len(parts), dtype=np.int64)
    if problem.demand is not None and parts.via_depot is not None:
        direct = problem.demand[candidates] <= remaining[:, None]
        allowed = np.stack([valid & direct, valid], axis=-1)
        via = parts.via_depot[rows, following].astype(np.int64)
    hit = candidates == parts.nodes[rows, following][:, None]
    keep = hit.any(axis=1)
    label = hit.argmax(axis=1) * config.num_actions + via
    nodes, start, destination, context = (array[keep] for array in seen)
    shown = Features(nodes, start, destination, context, valid[keep])
    return Examples(shown, allowed[keep], label[keep])


def mirrored(examples: Examples, config: PolicyConfig, rng: np.random.Generator) -> Examples:
    """See each state in a mirror drawn at random: a solution is as good in all of them.

    The step frame is already turned, so only its second axis can be reversed; in the others both
    can, and be exchanged.
    """
    count = len(examples.label)
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
        np.concatenate([example.label for example in examples]),
    )
