"""The processes of a run, started by `torchrun`, and how they communicate."""

import os
from datetime import timedelta

import torch
from torch import distributed, nn

from sil.policy.pytorch import usable_device
from sil.threads import available_threads

# Others may wait for hours while one improves its labels. One that dies is noticed at once.
_PATIENCE = timedelta(days=365)


def is_first_process() -> bool:
    """Return whether this process is the only one or the first that `torchrun` has started."""
    return _rank() == 0


def _rank() -> int:
    return int(os.environ.get("RANK", "0"))


class Processes:
    """The processes of a run; with a single one, every call returns at once.

    All processes must make the same calls in the same order.

    Parameters
    ----------
    device
        The PyTorch device that fits the weights and also runs the policy, such as "cuda" or "cpu";
        for "cuda" each process takes a GPU of its own. By default a GPU fits the weights if there
        is one, and the C++ engine runs the policy.
    """

    def __init__(self, device: str | None = None) -> None:
        self.rank = _rank()
        self.size = int(os.environ.get("WORLD_SIZE", "1"))
        chosen = device or ("cuda" if torch.cuda.is_available() else "cpu")
        if chosen == "cuda":
            chosen = f"cuda:{os.environ.get('LOCAL_RANK', '0')}"
        self.device = usable_device(chosen)
        self.runs_policy_on_device = device is not None
        # All processes on this machine share its cores.
        self.threads = max(1, available_threads() // int(os.environ.get("LOCAL_WORLD_SIZE", "1")))
        self._joined = self.size > 1 and not distributed.is_initialized()
        if self._joined:
            backend = "nccl" if self.device.type == "cuda" else "gloo"
            distributed.init_process_group(backend, timeout=_PATIENCE)

    @property
    def is_first(self) -> bool:
        """Whether this is the process that writes files and prints."""
        return self.rank == 0

    def share(self, indices: range) -> range:
        """Return the indices that this process works on."""
        return indices[self.rank :: self.size]

    def average_gradients(self, policy: nn.Module) -> None:
        """Replace the gradients by their mean over all processes."""
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
        """Return whether the flag is set in any process; waits for all of them."""
        return self.total(float(flag))[0] > 0

    def leave(self) -> None:
        """Leave the group of processes."""
        if self._joined:
            distributed.destroy_process_group()
