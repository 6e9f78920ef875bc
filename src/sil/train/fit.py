"""Fitting the weights to labelled states by cross-entropy."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sil.policy.model import Policy
from sil.policy.native import NativePolicy
from sil.policy.weights import Weights
from sil.train.config import Optimiser
from sil.train.processes import Processes
from sil.train.states import Examples


class DivergedError(Exception):
    """A gradient that is not finite: the weights are as they were before."""


@dataclass(frozen=True)
class Fit:
    """What a step saw: mean loss, and how often the most probable action was the label's."""

    loss: float
    accuracy: float


class Fitter:
    """A policy and the optimiser that fits it.

    Parameters
    ----------
    policy
        Its weights are changed in place.
    settings
        Of the optimiser.
    processes
        Gradients are averaged over them.
    """

    def __init__(self, policy: Policy, settings: Optimiser, processes: Processes) -> None:
        self.policy = policy
        self._clip = settings.clip
        self._device = processes.device
        self._processes = processes
        # The weights of a softmax are often too small for full precision, and then very slow.
        torch.set_flush_denormal(True)
        # Without normalisation the loss can leap; a shorter memory of the squares answers sooner.
        self._optimiser = torch.optim.AdamW(
            policy.parameters(), betas=(0.9, 0.98), weight_decay=settings.weight_decay, fused=True
        )

    def step(
        self, examples: Examples, rate: float, weight: NDArray[np.float64] | None = None
    ) -> Fit:
        """Change the weights so that the labels become more probable.

        Parameters
        ----------
        examples
            The states with their labels.
        rate
            Learning rate.
        weight
            Of each state in the loss; by default they are averaged.
        """
        for group in self._optimiser.param_groups:
            group["lr"] = rate
        self._optimiser.zero_grad()
        logits = self._logits(examples)
        label = torch.from_numpy(examples.label).to(self._device)
        losses = nn.functional.cross_entropy(logits, label, reduction="none")
        if weight is None:
            loss = losses.mean()
        else:
            loss = (losses * torch.from_numpy(weight).to(losses)).sum()
        loss.backward()  # type: ignore[no-untyped-call]
        self._processes.average_gradients(self.policy)
        norm = nn.utils.clip_grad_norm_(self.policy.parameters(), self._clip)
        if not torch.isfinite(norm):
            raise DivergedError
        self._optimiser.step()
        right = (logits.argmax(dim=1) == label).float().mean()
        return Fit(losses.mean().item(), right.item())

    def _logits(self, examples: Examples) -> Tensor:
        arrays = examples.features.arrays()
        scores = self.policy(*(torch.from_numpy(a).to(self._device) for a in arrays))
        allowed = torch.from_numpy(examples.allowed).to(self._device)
        logits: Tensor = scores.masked_fill(~allowed, -torch.inf).flatten(1)
        return logits

    def engine(self) -> NativePolicy:
        """Make the native engine of the present weights."""
        return NativePolicy(self.policy.config, arrays_of(self.policy.state_dict()))

    def state(self) -> dict[str, Any]:
        """Return what the optimiser remembers."""
        return self._optimiser.state_dict()

    def restore(self, state: dict[str, Any]) -> None:
        """Remember this instead."""
        self._optimiser.load_state_dict(state)


def arrays_of(weights: Mapping[str, Tensor]) -> Weights:
    """Turn the weights of a policy in PyTorch into arrays."""
    return {name: value.detach().cpu().numpy() for name, value in weights.items()}
