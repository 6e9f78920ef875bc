import numpy as np
import pytest
import torch

from sil.policy.config import Frame, PolicyConfig
from sil.policy.model import Policy
from sil.train.config import Optimiser, WarmUp
from sil.train.fit import Fitter
from sil.train.processes import Processes
from sil.train.warmup import reinforce


@pytest.mark.parametrize("kind", ["TSP", "CVRP"])
def test_reinforcement_shortens_solutions(kind):
    torch.manual_seed(0)
    config = PolicyConfig(kind, 16, 1, 2, 32, candidates=8, frame=Frame.STEP)
    fitter = Fitter(Policy(config), Optimiser(), Processes())
    settings = WarmUp(steps=60, nodes=12, batch=16, starts=6, rate=3e-3)
    costs = [reinforce(fitter, settings, (7, step), 1) for step in range(60)]
    assert np.mean(costs[-8:]) < 0.85 * np.mean(costs[:8])


def test_equal_seeds_give_equal_weights():
    config = PolicyConfig("TSP", 16, 1, 2, 32, candidates=8, frame=Frame.STEP)
    found = []
    for _ in range(2):
        torch.manual_seed(0)
        fitter = Fitter(Policy(config), Optimiser(), Processes())
        for step in range(3):
            reinforce(fitter, WarmUp(steps=3, nodes=10, batch=3, starts=5), (1, step), 1)
        found.append(fitter.policy.score.weight.detach().numpy())
    assert np.array_equal(*found)
