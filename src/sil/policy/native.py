"""The policy on the CPU without PyTorch: the C++ engine."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sil import _native
from sil._native import Interrupt
from sil.errors import InputError
from sil.partial import PartialSolutions
from sil.policy.config import Attention, PolicyConfig
from sil.policy.engine import PolicyEngine
from sil.policy.features import Features
from sil.policy.weights import Weights, load_or_pretrained
from sil.problem import Problem


@dataclass(frozen=True)
class Observation:
    """Decoding states of b partial solutions, one each, with up to k candidates.

    Parameters
    ----------
    features
        What the network sees.
    candidates
        Available nodes, nearest first, then -1, shape (b, k).
    remaining
        Capacity left, shape (b,); empty for TSP.
    """

    features: Features
    candidates: NDArray[np.int32]
    remaining: NDArray[np.int64]


def observe(
    config: PolicyConfig, problem: Problem, parts: PartialSolutions, steps: NDArray[np.int64]
) -> Observation:
    """Return the state of each partial solution after `steps` (b,) of its inner nodes."""
    candidates, remaining, nodes, start, destination, context = _native.observe(
        shape_of(config),
        problem.instance,
        parts.native(),
        steps,
    )
    seen = Features(nodes, start, destination, context, candidates >= 0)
    return Observation(seen, candidates, remaining)


def shape_of(config: PolicyConfig) -> _native.PolicyShape:
    """Return the configuration of a policy for native code."""
    return _native.PolicyShape(
        config.dim,
        config.layers,
        config.heads,
        config.feed_forward,
        config.representatives,
        config.num_features,
        config.num_context,
        config.num_actions,
        config.candidates or 0,
        config.neighbours,
        _native.Frame[config.frame.name],
        config.reach,
        config.normalised,
    )


class NativePolicy(PolicyEngine):
    """A policy on the CPU, ready to rebuild partial solutions and to construct whole ones.

    Parameters
    ----------
    config
        Its configuration; only linear attention is supported.
    weights
        As `sil.policy.weights.load` returns them.
    instruction_set
        One of `sil._native.instruction_sets()`. Default: the fastest.
    """

    def __init__(
        self, config: PolicyConfig, weights: Weights, instruction_set: str | None = None
    ) -> None:
        if config.attention is not Attention.LINEAR:
            raise InputError("full attention is for comparison and runs in PyTorch only")
        self.config = config
        arrays: dict[str, object] = {**weights}
        chosen = instruction_set or _native.instruction_sets()[0]
        self.engine = _native.Policy(shape_of(config), arrays, chosen)

    @classmethod
    def load(cls, problem: Problem, weights: Path | str = "fast") -> "NativePolicy":
        """Load a policy for a problem, from a weights file or by the name of shipped weights."""
        return cls(*load_or_pretrained(problem.kind, weights))

    def rebuild(
        self,
        problem: Problem,
        parts: PartialSolutions,
        *,
        sample: bool = False,
        mirrored: bool = False,
        seed: int = 0,
        threads: int = 1,
        interrupt: Interrupt | None = None,
    ) -> PartialSolutions:
        """Rebuild partial solutions between their ends; see `PolicyEngine.rebuild`."""
        self.require_kind(problem)
        rebuilt = parts.copy()
        self.engine.decode(
            problem.instance,
            rebuilt.native(),
            mirrored,
            sample,
            seed,
            threads,
            interrupt or Interrupt(),
        )
        return rebuilt
