"""Training examples: decoding states cut from solutions, with the node that came next."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sil.policy.config import Frame, PolicyConfig
from sil.policy.frame import Features, States, boxes_for, features, nearest_available
from sil.problem import Problem
from sil.segments import PartialSolutions, cut
from sil.solution import Solution


@dataclass(frozen=True)
class Examples:
    """States as the network sees them, and the index of the right action in (k, actions)."""

    features: Features
    valid: NDArray[np.bool_]
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


def every_example(problem: Problem, parts: PartialSolutions, config: PolicyConfig) -> Examples:
    """Take all decoding states of partial solutions, those of the first one first."""
    count, length = parts.nodes.shape
    row = np.repeat(np.arange(count), length - 2)
    return _examples_at(problem, parts.picked(row), np.tile(np.arange(length - 2), count), config)


def _examples_at(
    problem: Problem, parts: PartialSolutions, step: NDArray[np.int64], config: PolicyConfig
) -> Examples:
    count, length = parts.nodes.shape
    rows = np.arange(count)
    inner = parts.nodes[:, 1:-1]  # (b, w - 2)
    available = np.arange(length - 2) >= step[:, None]
    current, following = parts.nodes[rows, step], parts.nodes[rows, step + 1]

    away = np.linalg.norm(problem.layout[inner] - problem.layout[current][:, None], axis=-1)
    away[~available] = np.inf
    wanted = min(config.candidates or length, length - 2)
    nearest = nearest_available(away, wanted)
    candidates = inner[rows[:, None], nearest]
    valid = np.isfinite(away[rows[:, None], nearest])

    remaining = None
    allowed = valid[..., None]
    via = np.zeros(count, dtype=np.int64)
    if problem.demand is not None and problem.capacity is not None:
        remaining = _remaining(problem, parts, step)
        direct = problem.demand[candidates] <= remaining[:, None]
        allowed = np.stack([valid & direct, valid], axis=-1)
        assert parts.via_depot is not None
        via = parts.via_depot[rows, step + 1].astype(np.int64)

    hit = (candidates == following[:, None]) & valid
    states = States(
        current,
        parts.nodes[:, -1],
        candidates,
        valid,
        remaining,
        parts.load_after,
        boxes_for(config.frame, problem, parts.nodes),
    )
    seen = features(problem, states, config)
    keep = hit.any(axis=1)
    label = hit.argmax(axis=1) * config.num_actions + via
    return Examples(
        Features(seen.nodes[keep], seen.start[keep], seen.destination[keep], seen.context[keep]),
        valid[keep],
        allowed[keep],
        label[keep],
    )


def _remaining(
    problem: Problem, parts: PartialSolutions, step: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Capacity left after the node at `step`, shape (b,)."""
    assert problem.demand is not None and problem.capacity is not None
    assert parts.via_depot is not None and parts.load_before is not None
    demand = problem.demand[parts.nodes]  # (b, w)
    filled = np.cumsum(demand, axis=1)
    places = np.arange(parts.nodes.shape[1])
    begins = parts.via_depot & (places > 0) & (places <= step[:, None])
    last = np.where(begins, places, 0).max(axis=1)  # where the current route begins in the run
    rows = np.arange(len(parts))
    load = filled[rows, step] - filled[rows, last] + demand[rows, last]
    outside = np.where(last == 0, parts.load_before, 0)
    left: NDArray[np.int64] = problem.capacity - load - outside
    return left


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
    seen = Features(of.nodes.copy(), of.start.copy(), of.destination.copy(), of.context.copy())
    for array in (seen.nodes, seen.start, seen.destination):
        turn(array, 0, width)
    for first in range(config.num_features - 3 * config.neighbours, config.num_features, 3):
        turn(seen.nodes, first, 0.0)
    if config.num_context:
        turn(seen.context, 1, width)  # the depot's place
    return replace(examples, features=seen)


def concatenate(examples: list[Examples]) -> Examples:
    """Join examples with different numbers of candidates by padding."""
    width = max(example.valid.shape[1] for example in examples)

    def padded(array: NDArray, fill: float = 0) -> NDArray:  # type: ignore[type-arg]
        extra = [(0, 0), (0, width - array.shape[1])] + [(0, 0)] * (array.ndim - 2)
        return np.pad(array, extra, constant_values=fill)

    return Examples(
        Features(
            np.concatenate([padded(e.features.nodes) for e in examples]),
            np.concatenate([e.features.start for e in examples]),
            np.concatenate([e.features.destination for e in examples]),
            np.concatenate([e.features.context for e in examples]),
        ),
        np.concatenate([padded(e.valid) for e in examples]),
        np.concatenate([padded(e.allowed) for e in examples]),
        np.concatenate([e.label for e in examples]),
    )
