"""Load a policy onto a CPU or another device."""

from pathlib import Path

from sil.errors import MissingExtraError
from sil.policy.engine import PolicyEngine
from sil.policy.native import NativePolicy
from sil.problem import Problem


def load_engine(
    problem: Problem, weights: Path | str = "fast", device: str | None = None
) -> PolicyEngine:
    """Load a policy for a problem.

    Parameters
    ----------
    problem
        The problem to solve.
    weights
        A weights file, or the name of shipped weights.
    device
        A PyTorch device, such as "cuda" or "cpu". Default: the C++ engine on the CPU, which is much
        faster there and does not need PyTorch.
    """
    if device is None:
        return NativePolicy.load(problem, weights)
    try:
        from sil.policy.pytorch import TorchPolicy
    except ImportError as error:
        raise MissingExtraError("a device for the policy", "train") from error
    return TorchPolicy.load(problem, weights, device)
