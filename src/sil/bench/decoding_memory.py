"""One decoding step of the network over all nodes: what the paper's memory tables measure."""

from sil.bench.fingerprint import own_code
from sil.bench.packages import missing_package, package_version
from sil.bench.solver import Limits, Solver
from sil.problem import Problem


class DecodingStep:
    """A step of the whole model, or of its attention alone, in PyTorch with the paper's shape.

    Parameters
    ----------
    what
        "model" or "attention".
    attention
        "linear" or "full".
    """

    timed = False

    def __init__(self, what: str, attention: str) -> None:
        self.name = f"{what}, {attention} attention"
        self._what, self._attention = what, attention

    @property
    def version(self) -> str:
        """Our code and PyTorch."""
        return f"code {own_code('bench/decoding_memory.py')}, {package_version('torch')}"

    def missing(self, problem: Problem) -> str | None:
        """Return the reason if PyTorch is not installed."""
        del problem
        return missing_package("torch")

    def prepare(self) -> None:
        """Import PyTorch and let it initialise itself."""
        import torch

        from sil.policy.model import Policy  # noqa: F401

        torch.ones(2, 2) @ torch.ones(2, 2)

    def solve(self, problem: Problem, limits: Limits) -> None:
        """Take the step (paper, section Memory Usage, appendix Memory Consumption)."""
        import torch

        from sil.policy.config import Attention, PolicyConfig
        from sil.policy.model import MultiHeadAttention, Policy

        torch.set_num_threads(limits.threads)
        config = PolicyConfig("TSP", attention=Attention(self._attention))
        size = problem.num_nodes
        with torch.inference_mode():
            if self._what == "model":
                nodes, one = torch.rand(1, size, 2), torch.rand(1, 2)
                valid = torch.ones(1, size, dtype=torch.bool)
                Policy(config)(nodes, one, one, torch.zeros(1, 0), valid)
                return
            attend = MultiHeadAttention(config.dim, config.heads)
            nodes = torch.rand(1, size + 2, config.dim)
            ends = torch.rand(1, 2, config.dim)
            others = attend(ends, nodes, None) if self._attention == "linear" else nodes
            attend(nodes, others, None)


DECODING_STEPS: list[Solver] = [
    DecodingStep(what, attention)
    for what in ("model", "attention")
    for attention in ("linear", "full")
]
