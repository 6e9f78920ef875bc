import torch

from sil.train.muon import Muon, orthogonal


def test_singular_values_come_close_to_one():
    torch.manual_seed(0)
    for shape in ((3, 16, 64), (2, 64, 16)):
        values = torch.linalg.svdvals(orthogonal(torch.randn(shape)))
        assert values.min() > 0.5
        assert values.max() < 1.4


def test_a_quadratic_is_minimised():
    torch.manual_seed(0)
    target = torch.randn(8, 24)
    weight = torch.nn.Parameter(torch.zeros(8, 24))
    optimiser = Muon([weight])
    for step in range(400):
        optimiser.param_groups[0]["lr"] = 0.1 * (1 - step / 400)
        optimiser.zero_grad()
        ((weight - target) ** 2).sum().backward()
        optimiser.step()
    assert (weight - target).abs().max() < 0.05
