"""Fitting the weights to labelled states by cross-entropy."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sil.policy.model import Policy
from sil.policy.native import NativePolicy
from sil.train.config import Optimiser, Rule
from sil.train.muon import Muon
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
        inner = [p for p in policy.modules_.parameters() if p.ndim == 2]
        inside = {id(p) for p in inner} if settings.rule is Rule.MUON else set()
        rest = [p for p in policy.parameters() if id(p) not in inside]
        self._optimisers: list[torch.optim.Optimizer] = [
            torch.optim.AdamW(rest, weight_decay=settings.weight_decay)
        ]
        if inside:
            self._optimisers.append(Muon(inner, settings.weight_decay))

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
        for optimiser in self._optimisers:
            for group in optimiser.param_groups:
                group["lr"] = rate
            optimiser.zero_grad()
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
        for optimiser in self._optimisers:
            optimiser.step()
        right = (logits.argmax(dim=1) == label).float().mean()
        return Fit(losses.mean().item(), right.item())

    def _logits(self, examples: Examples) -> Tensor:
        seen = examples.features
        arrays = (seen.nodes, seen.start, seen.destination, seen.context, examples.valid)
        scores = self.policy(*(torch.from_numpy(a).to(self._device) for a in arrays))
        allowed = torch.from_numpy(examples.allowed).to(self._device)
        logits: Tensor = scores.masked_fill(~allowed, -torch.inf).flatten(1)
        return logits

    def engine(self) -> NativePolicy:
        """Make the native engine of the present weights."""
        return engine_of(self.policy)

    def state(self) -> list[dict[str, Any]]:
        """Return what the optimiser remembers."""
        return [optimiser.state_dict() for optimiser in self._optimisers]

    def restore(self, states: list[dict[str, Any]]) -> None:
        """Remember this instead."""
        for optimiser, state in zip(self._optimisers, states, strict=True):
            optimiser.load_state_dict(state)


def engine_of(policy: Policy) -> NativePolicy:
    """Make the native engine of a policy in PyTorch."""
    return NativePolicy(
        policy.config,
        {name: value.detach().cpu().numpy() for name, value in policy.state_dict().items()},
    )
