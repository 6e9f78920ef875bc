"""One process or many: `torchrun` starts them, this file holds what they say to each other."""

import os
from datetime import timedelta

import torch
from torch import distributed, nn

from sil.threads import available_threads

# One may have hours of labels to improve while others wait; one that dies is noticed at once.
_PATIENCE = timedelta(days=365)


class Processes:
    """The processes of a run; alone, each call returns at once.

    Every process must make the same calls in the same order.
    """

    def __init__(self) -> None:
        self.rank = int(os.environ.get("RANK", "0"))
        self.size = int(os.environ.get("WORLD_SIZE", "1"))
        on_gpu = torch.cuda.is_available()
        local = int(os.environ.get("LOCAL_RANK", "0"))
        self.device = torch.device(f"cuda:{local}" if on_gpu else "cpu")
        # Of the cores that all processes of this machine share.
        self.threads = max(1, available_threads() // int(os.environ.get("LOCAL_WORLD_SIZE", "1")))
        self._joined = self.size > 1 and not distributed.is_initialized()
        if self._joined:
            distributed.init_process_group("nccl" if on_gpu else "gloo", timeout=_PATIENCE)

    @property
    def is_first(self) -> bool:
        """Whether this one writes files and talks to people."""
        return self.rank == 0

    def share(self, indices: range) -> range:
        """Return the part of the indices that is this process's to work on."""
        return indices[self.rank :: self.size]

    def average_gradients(self, policy: nn.Module) -> None:
        """Give each process the mean of all processes' gradients."""
        if self.size == 1:
            return
        gradients = [weight.grad for weight in policy.parameters() if weight.grad is not None]
        flat = nn.utils.parameters_to_vector(gradients)
        distributed.all_reduce(flat)
        nn.utils.vector_to_parameters(flat / self.size, gradients)

    def total(self, *values: float) -> list[float]:
        """Sum values over all processes."""
        if self.size == 1:
            return list(values)
        tensor = torch.tensor(values, dtype=torch.float64, device=self.device)
        distributed.all_reduce(tensor)
        summed: list[float] = tensor.tolist()
        return summed

    def any(self, flag: bool) -> bool:
        """Whether it is so in any process; also waits for all to come here."""
        return self.total(float(flag))[0] > 0

    def leave(self) -> None:
        """Part from the others."""
        if self._joined:
            distributed.destroy_process_group()
