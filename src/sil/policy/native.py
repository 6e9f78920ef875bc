"""The policy on the CPU without PyTorch: the C++ engine."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sil import _native
from sil._native import Interrupt
from sil.errors import InputError, StoppedError
from sil.policy.config import Attention, Frame, PolicyConfig
from sil.policy.frame import Features, bounding_boxes
from sil.policy.weights import Weights, load_or_pretrained
from sil.problem import Problem
from sil.seeds import generator
from sil.segments import PartialSolutions
from sil.solution import Solution


@dataclass(frozen=True)
class Observation:
    """A decoding state of each of b partial solutions, with up to k candidates.

    Parameters
    ----------
    features
        What the network sees of it.
    candidates
        Available nodes, nearest first, shape (b, k); -1 where there is none.
    remaining
        Capacity left, shape (b,); empty for TSP.
    """

    features: Features
    candidates: NDArray[np.int32]
    remaining: NDArray[np.int64]


def observe(
    config: PolicyConfig, problem: Problem, parts: PartialSolutions, steps: NDArray[np.int64]
) -> Observation:
    """Look at partial solutions when so many of their inner nodes, `steps` (b,), are visited."""
    candidates, remaining, nodes, start, destination, context = _native.observe(
        _shape_of(config),
        problem.layout,
        parts.nodes,
        parts.via_depot,
        parts.load_before,
        parts.load_after,
        problem.demand,
        problem.capacity or 0,
        _box_of(problem.layout, config.frame),
        steps,
    )
    seen = Features(nodes, start, destination, context, candidates >= 0)
    return Observation(seen, candidates, remaining)


def _shape_of(config: PolicyConfig) -> _native.PolicyShape:
    """Tell the engine the shape of a policy."""
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
    )


def _box_of(layout: NDArray[np.float64], frame: Frame) -> tuple[float, float, float]:
    """Lower left corner and side of the square around an instance, if its frame needs it."""
    if frame is not Frame.INSTANCE:
        return 0.0, 0.0, 1.0
    x, y, side = bounding_boxes(layout[None])[0].tolist()
    return x, y, side


class NativePolicy:
    """Weights of a policy, ready to rebuild partial solutions and to construct whole ones.

    Parameters
    ----------
    config
        Its shape; only linear attention runs here.
    weights
        As `sil.policy.weights.load` gives them.
    instruction_set
        One of `sil._native.instruction_sets()`; by default the fastest.
    """

    def __init__(
        self, config: PolicyConfig, weights: Weights, instruction_set: str | None = None
    ) -> None:
        if config.attention is not Attention.LINEAR:
            raise InputError("full attention is for comparison and runs in PyTorch only")
        self.config = config
        arrays: dict[str, object] = {**weights}
        chosen = instruction_set or _native.instruction_sets()[0]
        self.engine = _native.Policy(_shape_of(config), arrays, chosen)

    @classmethod
    def load(cls, problem: Problem, weights: Path | str = "fast") -> "NativePolicy":
        """Load a policy for a problem: by the name of shipped weights, or from a file."""
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
        """Rebuild partial solutions between their ends (paper, section Local Reconstruction).

        Parameters
        ----------
        problem
            The problem that they are part of.
        parts
            What to rebuild.
        sample
            Draw each node from the policy instead of taking the most probable one.
        mirrored
            Show the policy the mirror image, of which it thinks a little differently.
        seed
            Of the draws.
        threads
            Over the partial solutions.
        interrupt
            When set, those not yet rebuilt stay as they were.
        """
        if problem.kind != self.config.problem:
            raise InputError(
                f"this policy is for {self.config.problem}, the problem is a {problem.kind}"
            )
        rebuilt = parts.copy()
        layout = problem.layout * [-1.0, 1.0] if mirrored else problem.layout
        self.engine.decode(
            layout,
            rebuilt.nodes,
            rebuilt.via_depot,
            parts.load_before,
            parts.load_after,
            problem.demand,
            problem.capacity or 0,
            _box_of(layout, self.config.frame),
            sample,
            seed,
            threads,
            interrupt or Interrupt(),
        )
        return rebuilt

    def construct(
        self, problem: Problem, seed: int = 0, interrupt: Interrupt | None = None
    ) -> Solution:
        """Build a whole solution greedily (paper, appendix Generate the Initial Solution).

        It begins at a random node, or at the depot, and ends there.
        """
        interrupt = interrupt or Interrupt()
        if problem.kind == "TSP":
            nodes = np.roll(problem.nodes, generator(seed).integers(problem.num_nodes))
            closed = PartialSolutions(np.append(nodes, nodes[0])[None])
            built = self.rebuild(problem, closed, interrupt=interrupt)
            StoppedError.raise_if(interrupt)
            return Solution(built.nodes[0, :-1])
        nodes = np.concatenate([[0], problem.nodes, [0]]).astype(np.int32)[None]
        nothing = np.zeros(1, dtype=np.int64)
        closed = PartialSolutions(nodes, np.ones(nodes.shape, dtype=np.bool_), nothing, nothing)
        built = self.rebuild(problem, closed, interrupt=interrupt)
        StoppedError.raise_if(interrupt)
        assert built.via_depot is not None
        flags = built.via_depot[0, 1:-1].copy()
        flags[0] = True
        return Solution(built.nodes[0, 1:-1], flags)
