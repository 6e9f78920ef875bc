"""Decoding: the native engine against plain PyTorch and against this machine's sgemm rate.

python -m benchmarks.policy
"""

import torch

from benchmarks.arguments import no_arguments
from benchmarks.timing import ratio, seconds
from sil import NativePolicy, generate_tsp
from sil.partial import PartialSolutions
from sil.policy.config import PolicyConfig, preset
from sil.policy.model import Policy
from sil.policy.pytorch import TorchPolicy

THREADS = 2
LENGTH = 100


def measure() -> None:
    torch.set_num_threads(THREADS)
    for name, count in (("paper", 64), ("fast", 256)):
        report(name, preset(name, "TSP"), count)


def report(name: str, config: PolicyConfig, count: int) -> None:
    torch.manual_seed(0)
    weights = {k: v.numpy() for k, v in Policy(config).state_dict().items()}
    native, plain = NativePolicy(config, weights), TorchPolicy(config, weights)
    problem = generate_tsp(count * LENGTH)
    parts = PartialSolutions(problem.nodes.reshape(count, LENGTH))
    speedup = ratio(
        lambda: plain.rebuild(problem, parts),
        lambda: native.rebuild(problem, parts, threads=THREADS),
    )
    needed = sum(operations(config, left) for left in range(1, LENGTH - 1)) * count
    matrix = torch.randn(2048, 2048)
    share = (
        ratio(
            lambda: [torch.mm(matrix, matrix) for _ in range(8)],
            lambda: native.rebuild(problem, parts, threads=THREADS),
            repeats=5,
        )
        * needed
        / (8 * 2 * 2048**3)
    )
    took = seconds(lambda: native.rebuild(problem, parts, threads=THREADS))
    print(
        f"{name:<6} {LENGTH} nodes, {THREADS} threads: PyTorch / native {speedup:5.1f}"
        f"   native / sgemm rate {share:5.2f}   ({count * LENGTH / took:,.0f} nodes/s here)"
    )


def operations(config: PolicyConfig, available: int) -> int:
    """Count the floating-point operations that the collapsed form needs for one decoding step."""
    d, wide, r = config.dim, config.feed_forward, config.representatives
    nodes = min(config.candidates or available, available) + r
    attention = 8 * d * r * config.heads * nodes  # scores and mixing, both sub-layers
    on_nodes = 4 * d * wide * nodes
    on_representatives = (4 * d * wide + 16 * d * d) * r
    # The last layer's second feed-forward matrix is folded into the scores.
    saved = 2 * d * wide * nodes
    return config.layers * (attention + on_nodes + on_representatives) - saved


if __name__ == "__main__":
    no_arguments(__doc__)
    measure()
