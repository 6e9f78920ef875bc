import torch

from sil.policy.config import Frame, PolicyConfig
from sil.policy.model import Policy
from sil.train.config import Optimiser
from sil.train.optimiser import MixedOptimiser

CONFIG = PolicyConfig("TSP", 16, 1, 2, 32, candidates=8, frame=Frame.STEP)


def changes(muon: float, rate: float) -> dict[str, torch.Tensor]:
    """Return by how much a step along random gradients changes each weight."""
    torch.manual_seed(0)
    policy = Policy(CONFIG)
    before = {name: weight.detach().clone() for name, weight in policy.named_parameters()}
    for weight in policy.parameters():
        weight.grad = torch.randn_like(weight)
    MixedOptimiser(policy, Optimiser(muon=muon)).step(rate)
    return {name: weight.detach() - before[name] for name, weight in policy.named_parameters()}


def test_muon_changes_all_directions_of_inner_matrices_alike():
    for name, change in changes(muon=5, rate=1e-3).items():
        if not (name.startswith("modules_") and change.ndim == 2):
            continue
        sizes = torch.linalg.svdvals(change)
        assert sizes.max() < 4 * sizes.min()
        assert 2e-3 < sizes.max() < 1.5e-2  # about 5 times the rate


def test_other_weights_move_as_without_muon():
    alone, mixed = changes(0, 1e-3), changes(5, 1e-3)
    for name, change in mixed.items():
        inner = name.startswith("modules_") and change.ndim == 2
        assert torch.equal(change, alone[name]) != inner
