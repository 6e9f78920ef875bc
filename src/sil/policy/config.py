"""The configuration of a policy: its sizes and what it sees."""

import json
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any, Literal

import numpy as np

from sil.errors import InputError, excerpt
from sil.validate import whole_number


class Frame(StrEnum):
    """The coordinates in which the policy sees the nodes.

    INSTANCE scales the whole instance to the unit square, SEGMENT each partial solution. STEP
    changes with every step: its origin is the current node, the farthest candidate sets the scale,
    the destination lies on the positive x axis, and far points are compressed.
    """

    INSTANCE = "instance"
    SEGMENT = "segment"
    STEP = "step"


class Attention(StrEnum):
    """LINEAR is the paper's, through representatives; FULL is self-attention, as in LEHD."""

    LINEAR = "linear"
    FULL = "full"


# Smallest and largest value of each size: wider than is useful, but narrow enough that no
# configuration can exhaust the memory.
_SIZES = {
    "dim": (1, 4_096),
    "layers": (1, 256),
    "heads": (1, 512),
    "feed_forward": (1, 65_536),
    "representatives": (2, 1_024),
    "candidates": (1, 100_000),
    "neighbours": (0, 1_000),
}
_MOST_WEIGHTS = 2**28  # a gigabyte
_REACH = (0.01, 100.0)


@dataclass(frozen=True)
class PolicyConfig:
    """The configuration of a policy (paper, section Model Setting).

    Parameters
    ----------
    problem
        The problem type. It determines the features and the actions.
    dim
        Width d of the embeddings, a multiple of 16.
    layers
        Number L of linear attention modules.
    heads
        Number of attention heads; `dim` must be a multiple of 8 * `heads`.
    feed_forward
        Width of the feed-forward layers, a multiple of 16.
    representatives
        Number r of representatives: the destination and r - 1 projections of the start.
    candidates
        How many of the nearest available nodes the policy sees; None for all.
    frame
        The coordinates in which it sees them.
    attention
        The kind of attention.
    neighbours
        How many of its nearest other candidates are described in each candidate's features, by
        place and distance. Linear attention cannot see these.
    reach
        Size of the step frame, relative to the distance of the farthest candidate. It is 1 in
        training. With more, all nodes seem nearer than in training, and fewer are left behind.
    normalised
        Whether each embedding is divided by its root mean square before attention and before the
        feed-forward. The paper does not normalise; with it, training needs far fewer states.
    """

    problem: Literal["TSP", "CVRP"] = "TSP"
    dim: int = 128
    layers: int = 6
    heads: int = 8
    feed_forward: int = 512
    representatives: int = 2
    candidates: int | None = None
    frame: Frame = Frame.SEGMENT
    attention: Attention = Attention.LINEAR
    neighbours: int = 0
    reach: float = 1.0
    normalised: bool = False

    def __post_init__(self) -> None:
        require_kind(self.problem)
        for name, (least, most) in _SIZES.items():
            if name == "candidates" and self.candidates is None:
                continue
            object.__setattr__(self, name, _whole(name, getattr(self, name), least, most))
        if self.dim % 16 or self.feed_forward % 16:
            raise InputError("dim and feed_forward must be multiples of 16")
        if self.dim % (8 * self.heads):
            raise InputError(f"dim {self.dim} must be a multiple of 8 times {self.heads} heads")
        if self.neighbours and self.candidates is None:
            raise InputError("neighbours are found among the candidates: set candidates as well")
        object.__setattr__(self, "frame", _chosen(Frame, "frame", self.frame))
        object.__setattr__(self, "attention", _chosen(Attention, "attention", self.attention))
        object.__setattr__(self, "reach", _reach(self.reach))
        if self.reach != 1 and self.frame != Frame.STEP:
            raise InputError("only the step frame allows a reach other than 1")
        if not isinstance(self.normalised, bool):
            raise InputError(f"normalised is {excerpt(self.normalised)}: it must be true or false")
        if self.num_weights > _MOST_WEIGHTS:
            raise InputError(
                f"a network of this shape has {self.num_weights:,} weights, more than "
                f"{_MOST_WEIGHTS:,}: make dim, feed_forward, layers or representatives smaller"
            )

    @property
    def num_features(self) -> int:
        """Features per node: x, y; for CVRP demand and distance from the depot; neighbours."""
        return (2 if self.problem == "TSP" else 4) + 3 * self.neighbours

    @property
    def num_context(self) -> int:
        """Extra inputs of the representatives: for CVRP capacity left, demand left, depot."""
        return 0 if self.problem == "TSP" else 4

    @property
    def num_actions(self) -> int:
        """Actions per node: for CVRP it can be reached directly or through the depot."""
        return 1 if self.problem == "TSP" else 2

    @property
    def num_weights(self) -> int:
        """Number of weights of the network."""
        joined = self.dim + self.num_context
        encoder = (self.num_features + 1) * self.dim
        ends = self.representatives * self.dim * joined
        wide = 2 * self.dim * self.feed_forward + self.feed_forward + self.dim
        parts = 2 if self.attention is Attention.LINEAR else 1
        modules = self.layers * parts * (4 * self.dim**2 + wide)
        return encoder + ends + modules + self.num_actions * self.dim

    def to_json(self) -> str:
        """Convert to JSON."""
        return json.dumps(asdict(self), indent=2)

    @classmethod
    def from_json(cls, text: str) -> "PolicyConfig":
        """Read JSON as `to_json` writes it. Each setting must occur once, and no other."""
        try:
            values = json.loads(text, object_pairs_hook=_unique)
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError(f"this is not the JSON of a policy: {error}") from error
        if not isinstance(values, dict):
            raise InputError("this is not the JSON of a policy: it must be an object")
        known = [field.name for field in fields(cls)]
        if unknown := sorted(values.keys() - set(known)):
            raise InputError(f"unknown settings of a policy: {excerpt(unknown)}")
        if missing := [name for name in known if name not in values]:
            raise InputError(f"settings of a policy are missing: {', '.join(missing)}")
        return cls(**values)


def require_kind(problem: Any) -> None:
    """Refuse anything but a problem type."""
    if not isinstance(problem, str) or problem not in ("TSP", "CVRP"):
        raise InputError(f"a policy solves TSP or CVRP, not {excerpt(problem)}")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise InputError("a name occurs twice")
    return values


def _whole(name: str, value: Any, least: int, most: int) -> int:
    number = whole_number(value, name)
    if not least <= number <= most:
        raise InputError(f"{name} is {excerpt(number)}: it must be from {least:,} to {most:,}")
    return number


def _reach(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.floating)):
        raise InputError(f"reach is {excerpt(value)}: it must be a number")
    least, most = _REACH
    if not least <= value <= most:
        raise InputError(f"reach is {excerpt(value)}: it must be from {least} to {most}")
    return float(value)


def _chosen(kind: type[StrEnum], name: str, value: Any) -> StrEnum:
    if not isinstance(value, str) or value not in list(kind):
        raise InputError(f"{name} is {excerpt(value)}: choose from {', '.join(kind)}")
    return kind(value)


def preset(name: str, problem: Literal["TSP", "CVRP"]) -> PolicyConfig:
    """Look up a configuration: `paper`, `sit` (the paper's successor) or `fast` (ours)."""
    require_kind(problem)
    if not isinstance(name, str):
        raise InputError(f"a preset is a name, not {excerpt(name)}: choose from paper, sit, fast")
    if name == "paper":
        return PolicyConfig(problem)
    if name == "sit":
        return PolicyConfig(problem, representatives=16)
    if name == "fast":
        return PolicyConfig(
            problem,
            dim=64,
            layers=4,
            feed_forward=256,
            candidates=48,
            frame=Frame.STEP,
            neighbours=6,
            reach=1.4 if problem == "TSP" else 1.0,
            normalised=True,
        )
    raise InputError(f"unknown preset {excerpt(name)}: choose from paper, sit, fast")
