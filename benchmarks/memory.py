"""Peak memory of one decoding step over all nodes: linear against full attention.

The paper's two memory tables (section Memory Usage, appendix Memory Consumption) on the CPU: the
growth of the process's peak over its size before the step, each in a process of its own.
"""

import resource
import subprocess
import sys
from pathlib import Path

SIZES = (1_000, 5_000, 10_000, 50_000, 100_000)
LIMIT_GB = 16


def main() -> None:
    for attention in ("linear", "full"):
        for what in ("model", "attention"):
            row = [measure(attention, what, size) for size in SIZES]
            print(
                f"{attention:<6} {what:<9} peak memory, MB at 1K 5K 10K 50K 100K: {'  '.join(row)}"
            )


def measure(attention: str, what: str, size: int) -> str:
    command = [sys.executable, "-m", "benchmarks.memory", attention, what, str(size)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else f"> {LIMIT_GB:,} GB"


def step(attention: str, what: str, size: int) -> None:
    import torch

    from sil.policy.config import Attention, PolicyConfig
    from sil.policy.model import MultiHeadAttention, Policy

    torch.set_num_threads(1)
    config = PolicyConfig("TSP", attention=Attention(attention))
    nodes, one = torch.rand(1, size, 2), torch.rand(1, 2)
    policy = Policy(config)
    mha = MultiHeadAttention(config.dim, config.heads)
    h, r = torch.rand(1, size + 2, config.dim), torch.rand(1, 2, config.dim)
    with torch.inference_mode():
        policy(nodes[:, :10], one, one, torch.zeros(1, 0), torch.ones(1, 10, dtype=torch.bool))
        before = peak_kilobytes()
        limit = LIMIT_GB * 2**30
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        if what == "model":
            policy(nodes, one, one, torch.zeros(1, 0), torch.ones(1, size, dtype=torch.bool))
        elif attention == "linear":
            mha(h, mha(r, h, None), None)
        else:
            mha(h, h, None)
    print(f"{(peak_kilobytes() - before) / 1024:,.1f}")


def peak_kilobytes() -> int:
    """Peak memory of this process alone; getrusage would begin at that of the parent (Linux)."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    raise RuntimeError("this system does not tell a process's peak memory")


if __name__ == "__main__":
    step(sys.argv[1], sys.argv[2], int(sys.argv[3]))
