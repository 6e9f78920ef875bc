"""The optimiser that fits the weights: AdamW, or Muon and AdamW."""

from typing import Any

import torch
from torch import nn

from sil.train.config import Optimiser


class MixedOptimiser:
    """Muon for the matrices of the attention layers, AdamW for all other weights.

    Muon steps in the nearest orthogonal direction, so that all directions of a matrix learn at the
    same speed. With a normalised network it needs less than half of the states that AdamW needs.

    Parameters
    ----------
    policy
        The network; its matrices inside `modules_` go to Muon if `settings` ask for it.
    settings
        Settings of the optimiser.
    """

    def __init__(self, policy: nn.Module, settings: Optimiser) -> None:
        inner: list[nn.Parameter] = []
        outer: list[nn.Parameter] = []
        for name, weight in policy.named_parameters():
            suits = settings.muon > 0 and name.startswith("modules_") and weight.ndim == 2
            (inner if suits else outer).append(weight)
        # The loss can jump: averaging squares over fewer steps reacts sooner.
        parts: dict[str, torch.optim.Optimizer] = {
            "adamw": torch.optim.AdamW(
                outer, betas=(0.9, 0.98), weight_decay=settings.weight_decay, fused=True
            )
        }
        if inner:
            parts["muon"] = torch.optim.Muon(inner, weight_decay=settings.weight_decay)
        self._parts = parts
        self._factors = {"adamw": 1.0, "muon": settings.muon}

    def step(self, rate: float) -> None:
        """Take a step along the gradients with this learning rate."""
        for name, part in self._parts.items():
            for group in part.param_groups:
                group["lr"] = self._factors[name] * rate
            part.step()

    def zero_grad(self) -> None:
        """Clear the gradients."""
        for part in self._parts.values():
            part.zero_grad()

    def state_dict(self) -> dict[str, Any]:
        """Return the state of all parts."""
        return {name: part.state_dict() for name, part in self._parts.items()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from a state that `state_dict` returned."""
        for name, part in self._parts.items():
            part.load_state_dict(state[name])
