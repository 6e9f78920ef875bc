"""Fitting the weights to labelled states by cross-entropy."""

import copy
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel

from sil.errors import InputError
from sil.policy.config import PolicyConfig
from sil.policy.engine import PolicyEngine
from sil.policy.model import Policy
from sil.policy.native import NativePolicy
from sil.policy.pytorch import TorchPolicy, has_fast_bfloat16
from sil.policy.weights import Weights, load_or_pretrained, shapes
from sil.train.config import Optimiser
from sil.train.examples import Examples
from sil.train.optimiser import MixedOptimiser
from sil.train.processes import Processes

_LEVEL_PULL = 1e-3  # weight of the penalty that keeps logits near zero


class DivergedError(Exception):
    """Training has diverged, for instance by a gradient that is not finite."""


@dataclass(frozen=True)
class Fit:
    """Result of a step: mean loss, and how often the most probable action was right."""

    loss: float
    accuracy: float


@contextmanager
def _without_denormals() -> Iterator[None]:
    """Treat denormals as zero: a softmax produces many, and processors are slow with them."""
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)


def type_of_products(device: torch.device) -> torch.dtype:
    """Choose the precision of feed-forward products: bfloat16 where it is at least twice as fast.

    Processors with matrix units are excluded: some announce units that programs may not use, and
    PyTorch would crash with an illegal instruction.
    """
    can: Mapping[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()
    suits = can.get("avx512_bf16") and not can.get("amx_tile")
    library = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
    on_processor = device.type == "cpu" and suits and library
    return torch.bfloat16 if on_processor or has_fast_bfloat16(device) else torch.float32


class Fitter:
    """A policy and the optimiser that fits it.

    Parameters
    ----------
    policy
        Its weights are changed in place.
    settings
        Settings of the optimiser.
    processes
        Gradients are averaged over all of them.
    """

    def __init__(self, policy: Policy, settings: Optimiser, processes: Processes) -> None:
        self.policy = policy
        self._clip = settings.clip
        self._device = processes.device
        self._processes = processes
        policy.multiply_in(type_of_products(self._device))
        self._optimiser = MixedOptimiser(policy, settings)
        self._keep = settings.average
        self._average = AveragedModel(policy, multi_avg_fn=self._approach)

    @_without_denormals()
    def step(
        self, examples: Examples, rate: float, weight: NDArray[np.float64] | None = None
    ) -> Fit:
        """Take one optimiser step that makes the labels more probable.

        A gradient that is not finite raises `DivergedError` and leaves the weights unchanged.

        Parameters
        ----------
        examples
            The states with their labels.
        rate
            Learning rate.
        weight
            Weight of each state in the loss; by default the mean is taken.
        """
        self._optimiser.zero_grad()
        logits = self.logits(examples)
        right = torch.from_numpy(examples.right).to(self._device).flatten(1)
        likely = logits.masked_fill(~right, -torch.inf).logsumexp(dim=1)
        level = logits.logsumexp(dim=1)
        losses = level - likely
        if weight is None:
            loss = losses.mean()
        else:
            loss = (losses * torch.from_numpy(weight).to(losses)).sum()
        # The softmax ignores what all logits have in common. Without this penalty it grew to
        # millions, where a float has no decimals, and training failed.
        loss = loss + _LEVEL_PULL * level.square().mean()
        loss.backward()  # type: ignore[no-untyped-call]
        self._processes.average_gradients(self.policy)
        norm = nn.utils.clip_grad_norm_(self.policy.parameters(), self._clip)
        if not torch.isfinite(norm):
            raise DivergedError
        self._optimiser.step(rate)
        self._average.update_parameters(self.policy)
        hit = right.gather(1, logits.argmax(dim=1, keepdim=True)).float().mean()
        return Fit(losses.mean().item(), hit.item())

    def logits(self, examples: Examples) -> Tensor:
        """Score all actions of each state, shape (b, k * actions); forbidden ones get -inf."""
        arrays = examples.features.arrays()
        scores = self.policy(*(torch.from_numpy(a).to(self._device) for a in arrays))
        allowed = torch.from_numpy(examples.allowed).to(self._device)
        logits: Tensor = scores.masked_fill(~allowed, -torch.inf).flatten(1)
        return logits

    def _approach(self, average: Any, weights: Any, steps: Any) -> None:
        """Move the average towards the weights, faster in the first steps."""
        keep = min(self._keep, (int(steps) + 1) / (int(steps) + 10))
        torch._foreach_lerp_(average, weights, 1 - keep)

    def engine(self) -> PolicyEngine:
        """Make the engine of the averaged weights."""
        return engine_of(self.policy.config, self.weights(), self._processes)

    def weights(self) -> dict[str, Tensor]:
        """Return a copy of the weights averaged over the last steps."""
        return {name: value.clone() for name, value in self._average.module.state_dict().items()}

    def load(self, weights: Mapping[str, Tensor]) -> None:
        """Continue from these weights; the optimiser keeps its state."""
        self.policy.load_state_dict(weights)
        self._average.module.load_state_dict(weights)

    def state(self) -> dict[str, Any]:
        """Return a copy of the whole state."""
        return copy.deepcopy({name: part.state_dict() for name, part in self._parts.items()})

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a state that `state` returned."""
        for name, part in self._parts.items():
            # An optimiser keeps the arrays that it is given and writes into them.
            part.load_state_dict(copy.deepcopy(state[name]))

    @property
    def _parts(self) -> dict[str, Any]:
        return {"policy": self.policy, "average": self._average, "optimiser": self._optimiser}


def arrays_of(weights: Mapping[str, Tensor]) -> Weights:
    """Convert the weights of a policy from tensors to arrays."""
    return {name: value.detach().cpu().numpy() for name, value in weights.items()}


def engine_of(
    config: PolicyConfig, weights: Mapping[str, Tensor], processes: Processes
) -> PolicyEngine:
    """Make the engine of a policy: in C++, or on the device that the run was given."""
    arrays = arrays_of(weights)
    if processes.runs_policy_on_device:
        return TorchPolicy(config, arrays, str(processes.device))
    return NativePolicy(config, arrays)


def given_weights(source: str, config: PolicyConfig) -> dict[str, Tensor]:
    """Load the weights to start from: shipped ones by name, or a file."""
    shape, weights = load_or_pretrained(config.problem, source)
    if shapes(shape) != shapes(config):
        raise InputError(f"the weights {source} do not have the shape of [policy]: {shape}")
    return {name: torch.from_numpy(array) for name, array in weights.items()}
