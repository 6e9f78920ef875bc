"""Muon: momentum whose steps are made orthogonal.

PyTorch has it too, in half precision that some processors claim to support and do not.
"""

import math
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn

# Five iterations of this odd polynomial bring singular values of (0, 1] close to 1.
_COEFFICIENTS = (3.4445, -4.7750, 2.0315)
_ITERATIONS = 5
_LIKE_ADAM = 0.2  # root mean square of a step's entries at rate 1, about that of Adam


class Muon(torch.optim.Optimizer):
    """Fits matrices; the rate is of the same order as for Adam.

    Parameters
    ----------
    params
        Matrices.
    weight_decay
        Pull towards zero.
    momentum
        Weight of the past in the gradient.
    """

    def __init__(
        self, params: Iterable[nn.Parameter], weight_decay: float = 0.0, momentum: float = 0.95
    ) -> None:
        super().__init__(params, {"lr": 1e-3, "weight_decay": weight_decay, "momentum": momentum})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """Change the weights."""
        del closure
        for group in self.param_groups:
            # Matrices of one shape go through the iteration together.
            alike: dict[tuple[int, ...], list[nn.Parameter]] = {}
            for weight in group["params"]:
                if weight.grad is not None:
                    alike.setdefault(tuple(weight.shape), []).append(weight)
            for shape, weights in alike.items():
                ahead = torch.stack([self._ahead(weight, group) for weight in weights])
                steps = orthogonal(ahead) * (_LIKE_ADAM * math.sqrt(max(shape)))
                for weight, step in zip(weights, steps, strict=True):
                    weight.mul_(1 - group["lr"] * group["weight_decay"])
                    weight.add_(step, alpha=-group["lr"])

    def _ahead(self, weight: nn.Parameter, group: dict[str, Any]) -> Tensor:
        """Return the gradient with its momentum, looking one step ahead (Nesterov)."""
        gradient = weight.grad
        assert gradient is not None
        state = self.state[weight]
        if "momentum" not in state:
            state["momentum"] = torch.zeros_like(weight)
        state["momentum"].lerp_(gradient, 1 - group["momentum"])
        return gradient.lerp(state["momentum"], group["momentum"])


def orthogonal(matrices: Tensor) -> Tensor:
    """Bring the singular values of matrices (m, rows, columns) close to one another."""
    a, b, c = _COEFFICIENTS
    tall = matrices.shape[1] > matrices.shape[2]
    x = matrices.transpose(1, 2) if tall else matrices
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(_ITERATIONS):
        square = x @ x.transpose(1, 2)
        x = a * x + (b * square + c * square @ square) @ x
    result: Tensor = x.transpose(1, 2) if tall else x
    return result
