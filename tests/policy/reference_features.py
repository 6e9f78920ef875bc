"""What the policy sees of a decoding state, written in numpy, to compare the C++ engine with."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sil import _native
from sil.policy.config import Frame, PolicyConfig
from sil.policy.features import Features
from sil.problem import Problem

_NO_NEIGHBOUR = 2.0  # the distance of a missing neighbour
_MOST_ROUTES = 20  # largest number of remaining routes that the policy can distinguish


@dataclass(frozen=True)
class States:
    """A batch of b decoding states with up to k candidates each.

    Parameters
    ----------
    current
        The node visited last, shape (b,).
    destination
        Last node of the partial solution, shape (b,).
    candidates
        Available nodes, nearest first, shape (b, k).
    valid
        Which of them exist, shape (b, k); the others are padding.
    remaining
        Capacity left, shape (b,); None for TSP.
    load_after
        Load of the destination's route after it, shape (b,); None for TSP.
    unserved
        Demand of all available nodes, candidates or not, shape (b,); None for TSP.
    box
        Lower left corner and side of the square that the frames INSTANCE and SEGMENT scale to 1,
        shape (b, 3).
    """

    current: NDArray[np.int32]
    destination: NDArray[np.int32]
    candidates: NDArray[np.int32]
    valid: NDArray[np.bool_]
    remaining: NDArray[np.int64] | None
    load_after: NDArray[np.int64] | None
    unserved: NDArray[np.int64] | None
    box: NDArray[np.float64]


def bounding_boxes(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Bounding square of each set of points (b, n, 2): corner and side, shape (b, 3)."""
    low, high = points.min(axis=1), points.max(axis=1)
    side = (high - low).max(axis=1)
    return np.column_stack([low, np.where(side > 0, side, 1.0)])


def boxes_for(frame: Frame, problem: Problem, runs: NDArray[np.int32]) -> NDArray[np.float64]:
    """Bounding squares for states of these runs (b, w), shape (b, 3)."""
    if frame is Frame.SEGMENT:
        return bounding_boxes(problem.layout[runs])
    if frame is Frame.INSTANCE:
        return np.repeat(bounding_boxes(problem.layout[None]), len(runs), axis=0)
    return np.zeros((len(runs), 3))  # the step frame does not use them


def features(problem: Problem, states: States, config: PolicyConfig) -> Features:
    """Compute what the network sees of each state."""
    layout = problem.layout
    current, destination = layout[states.current], layout[states.destination]
    nodes = layout[states.candidates]  # (b, k, 2)
    by_step = config.frame is Frame.STEP
    view = (
        _step_view(states, current, destination, nodes, config.reach)
        if by_step
        else _box_view(states.box)
    )

    here, around = view.place(current), view.place(nodes)
    there = view.place_compressed(destination) if by_step else view.place(destination)
    others = _neighbours(nodes, around, states.valid, config.neighbours)
    none = np.zeros((len(here), others.shape[-1]))  # the ends have no neighbours
    if problem.demand is None or problem.capacity is None:
        return _as_features(
            np.concatenate([around, others], axis=-1),
            np.column_stack([here, none]),
            np.column_stack([there, none]),
            np.zeros((len(here), 0)),
            states.valid,
        )

    assert states.remaining is not None and states.load_after is not None
    assert states.unserved is not None
    depot = np.broadcast_to(layout[0], current.shape)
    share = problem.demand / problem.capacity
    end_share = share[states.destination] + states.load_after / problem.capacity
    routes_to_come = states.unserved / problem.capacity + end_share
    context = [
        states.remaining / problem.capacity,
        view.place_compressed(depot),
        _compress(np.minimum(routes_to_come, _MOST_ROUTES)),
    ]

    def described(
        seen: NDArray[np.float64],
        points: NDArray[np.float64],
        demand: NDArray[np.float64],
        beside: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        away = np.linalg.norm(points - layout[0], axis=-1) / view.like(view.scale, points)
        own = [seen, demand[..., None], _compress(away)[..., None]]
        return np.concatenate([*own, beside], axis=-1)

    return _as_features(
        described(around, nodes, share[states.candidates], others),
        described(here, current, np.zeros(len(here)), none),
        described(there, destination, end_share, none),
        np.column_stack(context),
        states.valid,
    )


def _neighbours(
    points: NDArray[np.float64],
    seen: NDArray[np.float64],
    valid: NDArray[np.bool_],
    count: int,
) -> NDArray[np.float64]:
    """Offset and distance of each candidate's nearest neighbours, shape (b, k, 3 * count)."""
    sets, wide = valid.shape
    if count == 0:
        return np.zeros((sets, wide, 0))
    there = np.where(valid[..., None], points, np.inf)
    other = _native.nearest_others(there, count)  # (b, k, count)
    offset = seen[np.arange(sets)[:, None, None], other] - seen[:, :, None]  # (b, k, count, 2)
    offset[other < 0] = 0
    away = np.where(other < 0, _NO_NEIGHBOUR, np.linalg.norm(offset, axis=-1))
    return np.concatenate([offset, away[..., None]], axis=-1).reshape(sets, wide, -1)


@dataclass(frozen=True)
class _View:
    """Moves, scales and turns the points of b states; all fields have a first dimension b."""

    origin: NDArray[np.float64]  # (b, 2)
    scale: NDArray[np.float64]
    cos: NDArray[np.float64]
    sin: NDArray[np.float64]
    centre: float  # both coordinates of the point towards which far points are compressed

    @staticmethod
    def like(values: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Reshape values (b,) to match points (b, 2) or (b, k, 2) without the last dimension."""
        return values if points.ndim == 2 else values[:, None]

    def place(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        scale, cos, sin = (self.like(v, points) for v in (self.scale, self.cos, self.sin))
        x = (points[..., 0] - self.like(self.origin[:, 0], points)) / scale
        y = (points[..., 1] - self.like(self.origin[:, 1], points)) / scale
        return np.stack([cos * x + sin * y, cos * y - sin * x], axis=-1)

    def place_compressed(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        offset = self.place(points) - self.centre
        length = np.linalg.norm(offset, axis=-1, keepdims=True)
        shrink = np.where(length > 1, _compress(length) / np.maximum(length, 1), 1.0)
        return offset * shrink + self.centre


def _step_view(
    states: States,
    current: NDArray[np.float64],
    destination: NDArray[np.float64],
    nodes: NDArray[np.float64],
    reach: float,
) -> _View:
    away = np.linalg.norm(nodes - current[:, None], axis=-1)  # (b, k)
    radius = np.where(states.valid, away, 0).max(axis=1, initial=0.0)
    ahead = destination - current
    length = np.linalg.norm(ahead, axis=1)
    apart = length > 0
    ahead = np.where(apart[:, None], ahead, [1.0, 0.0]) / np.where(apart, length, 1.0)[:, None]
    scale = reach * np.where(radius > 0, radius, 1.0)
    return _View(current, scale, ahead[:, 0], ahead[:, 1], 0.0)


def _box_view(box: NDArray[np.float64]) -> _View:
    return _View(box[:, :2], box[:, 2], np.ones(len(box)), np.zeros(len(box)), 0.5)


def _compress(length: NDArray[np.float64]) -> NDArray[np.float64]:
    """Leave lengths up to 1 as they are, and let longer ones grow logarithmically."""
    return np.where(length <= 1, length, 1 + np.log(np.maximum(length, 1)))


def _as_features(
    nodes: NDArray[np.float64],
    start: NDArray[np.float64],
    destination: NDArray[np.float64],
    context: NDArray[np.float64],
    valid: NDArray[np.bool_],
) -> Features:
    single = np.float32
    return Features(
        nodes.astype(single),
        start.astype(single),
        destination.astype(single),
        context.astype(single),
        valid,
    )
