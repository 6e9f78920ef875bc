"""Training: states per second of the network as it is, against its plain form in PyTorch.

python -m benchmarks.train
"""

import numpy as np
import torch
from torch import Tensor

from benchmarks.arguments import no_arguments
from benchmarks.timing import ratio, seconds
from sil import construct, generate_tsp
from sil.policy.config import PolicyConfig, preset
from sil.policy.model import AttentionLayer, MultiHeadAttention, Policy
from sil.train.config import Optimiser
from sil.train.examples import Examples, draw_examples
from sil.train.fit import Fitter
from sil.train.processes import Processes

STEPS = 4


class PlainLayer(AttentionLayer):
    """The same layer with every product that the equations name."""

    def forward(
        self, x: Tensor, c: Tensor, mask: Tensor | None = None, score: Tensor | None = None
    ) -> Tensor:
        x = MultiHeadAttention.forward(self.attention, x, c, mask)
        x = x + self.narrow(torch.relu(self.widen(x)))
        return x if score is None else x @ score.T


def measure() -> None:
    torch.set_num_threads(1)
    for name, batch in (("fast", 256), ("paper", 64)):
        report(name, preset(name, "TSP"), batch)


def report(name: str, config: PolicyConfig, batch: int) -> None:
    problem, rng = generate_tsp(1_000), np.random.default_rng(0)
    solution = construct(problem, "greedy")
    # As many nodes as `fast` has candidates, so that both presets get inputs of one size.
    examples = draw_examples(problem, solution, config, 34, batch, rng)
    plain, ours = fitter(config), fitter(config)
    for module in plain.policy.modules():
        if isinstance(module, AttentionLayer):
            module.__class__ = PlainLayer
    for each in (plain, ours):
        train(each, examples)
    faster = ratio(lambda: train(plain, examples), lambda: train(ours, examples), repeats=7)
    speed = STEPS * len(examples) / seconds(lambda: train(ours, examples))
    print(
        f"{name:<6} training, one thread: plain PyTorch / ours {faster:5.2f}"
        f"   ({speed:,.0f} states/s here)"
    )


def fitter(config: PolicyConfig) -> Fitter:
    torch.manual_seed(0)
    return Fitter(Policy(config), Optimiser(), Processes())


def train(of: Fitter, examples: Examples) -> None:
    for _ in range(STEPS):
        of.step(examples, 1e-4)


if __name__ == "__main__":
    no_arguments(__doc__)
    measure()
