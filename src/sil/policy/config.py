"""The shape of a policy."""

import json
import math
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any, Literal

from sil.errors import InputError


class Frame(StrEnum):
    """In which coordinates the policy sees the nodes.

    INSTANCE scales the whole instance to the unit square, SEGMENT each partial solution. STEP
    follows the decoding: origin at the current node, scaled by the farthest candidate, turned so
    that the destination lies on the positive x axis, far points compressed.
    """

    INSTANCE = "instance"
    SEGMENT = "segment"
    STEP = "step"


class Attention(StrEnum):
    """LINEAR goes through representatives (the paper's); FULL is self-attention, as in LEHD."""

    LINEAR = "linear"
    FULL = "full"


@dataclass(frozen=True)
class PolicyConfig:
    """The shape of a policy (paper, section Model Setting).

    Parameters
    ----------
    problem
        What it was made for: the features and the actions differ.
    dim
        Width d of the embeddings, a multiple of 16.
    layers
        Number L of linear attention modules.
    heads
        Attention heads; `dim` is a multiple of 8 times as many.
    feed_forward
        Width of the feed-forward layers, a multiple of 16.
    representatives
        Representative points r: the destination and r - 1 projections of the start.
    candidates
        How many of the nearest available nodes are looked at; None for all of them.
    frame
        The coordinates in which they are seen.
    attention
        Kind of attention.
    neighbours
        Of how many of its nearest other candidates each one is told place and distance, which
        linear attention cannot see.
    reach
        How far the step frame reaches, in distances of the farthest candidate. It is 1 in training;
        with more all nodes seem nearer than those that it learned from, and fewer are left behind.
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

    def __post_init__(self) -> None:
        if self.problem not in ("TSP", "CVRP"):
            raise InputError(f"a policy solves TSP or CVRP, not {self.problem!r}")
        for name in ("dim", "layers", "heads", "feed_forward"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} is {getattr(self, name)}: it must be at least 1")
        if self.dim % 16 or self.feed_forward % 16:
            raise InputError("dim and feed_forward must be multiples of 16")
        if self.dim % (8 * self.heads):
            raise InputError(f"dim {self.dim} must be a multiple of 8 times {self.heads} heads")
        if self.representatives < 2:
            raise InputError("at least two representatives are needed: destination and start")
        if self.candidates is not None and self.candidates < 1:
            raise InputError("at least one candidate is needed")
        if self.neighbours < 0:
            raise InputError(f"neighbours is {self.neighbours}: it must be at least 0")
        if self.neighbours and self.candidates is None:
            raise InputError("neighbours are found among candidates: set how many these are")
        if not (0 < self.reach < math.inf) or (self.reach != 1 and self.frame != Frame.STEP):
            raise InputError("reach is a positive number, and other than 1 for the step frame only")
        object.__setattr__(self, "frame", Frame(self.frame))
        object.__setattr__(self, "attention", Attention(self.attention))

    @property
    def num_features(self) -> int:
        """Features of a node: x, y; for CVRP its demand and distance from the depot; neighbours."""
        return (2 if self.problem == "TSP" else 4) + 3 * self.neighbours

    @property
    def num_context(self) -> int:
        """What joins the representatives: for CVRP capacity and demand left, the depot's place."""
        return 0 if self.problem == "TSP" else 4

    @property
    def num_actions(self) -> int:
        """Actions a node: for CVRP it can be reached directly or through the depot."""
        return 1 if self.problem == "TSP" else 2

    def to_json(self) -> str:
        """Write as json."""
        return json.dumps(asdict(self), indent=2)

    @classmethod
    def from_json(cls, text: str) -> "PolicyConfig":
        """Read from json; unknown keys are errors."""
        try:
            values: dict[str, Any] = json.loads(text)
            unknown = set(values) - {field.name for field in fields(cls)}
        except (json.JSONDecodeError, TypeError) as error:
            raise InputError(f"this is not the json of a policy: {error}") from error
        if unknown:
            raise InputError(f"unknown settings of a policy: {', '.join(sorted(unknown))}")
        try:
            return cls(**values)
        except (TypeError, ValueError) as error:
            raise InputError(f"this is not the json of a policy: {error}") from error


def preset(name: str, problem: Literal["TSP", "CVRP"]) -> PolicyConfig:
    """Look up a named shape: `paper`, `sit` (its successor's) or `fast` (ours)."""
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
            candidates=32 if problem == "TSP" else 48,
            frame=Frame.STEP,
            neighbours=6,
            reach=1.4 if problem == "TSP" else 1.0,
        )
    raise InputError(f"unknown preset {name!r}: choose from paper, sit, fast")
