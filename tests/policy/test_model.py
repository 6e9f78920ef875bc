import pytest
import torch

from sil.policy.config import Attention, PolicyConfig, preset
from sil.policy.model import Policy
from tests.policy.networks import random_policy


def inputs(config: PolicyConfig, states: int, count: int):
    f, c = config.num_features, config.num_context
    return (
        torch.randn(states, count, f),
        torch.randn(states, f),
        torch.randn(states, f),
        torch.randn(states, c),
    )


@pytest.mark.parametrize("attention", list(Attention))
@pytest.mark.parametrize("kind", ["TSP", "CVRP"])
def test_padding_changes_nothing(attention, kind):
    config = PolicyConfig(kind, 32, 2, 2, 64, attention=attention)
    policy = random_policy(config)
    nodes, *rest = inputs(config, 3, 7)
    valid = torch.ones(3, 7, dtype=torch.bool)
    padded = torch.cat([nodes, torch.full((3, 4, config.num_features), 99.0)], dim=1)
    mask = torch.cat([valid, torch.zeros(3, 4, dtype=torch.bool)], dim=1)
    short, long = policy(nodes, *rest, valid), policy(padded, *rest, mask)
    assert torch.allclose(short, long[:, :7], atol=1e-5)
    assert (long[:, 7:] == -torch.inf).all()


def test_the_order_of_the_nodes_does_not_matter():
    config = PolicyConfig("TSP", 32, 2, 2, 64, representatives=4)
    policy = random_policy(config)
    nodes, *rest = inputs(config, 2, 9)
    valid = torch.ones(2, 9, dtype=torch.bool)
    turned = torch.flip(nodes, dims=[1])
    assert torch.allclose(
        policy(nodes, *rest, valid).flip(1), policy(turned, *rest, valid), atol=1e-5
    )


def test_linear_attention_does_not_let_nodes_see_each_other_without_representatives():
    # Full attention is another network: the same shape with other weights.
    linear = {name for name, _ in Policy(PolicyConfig()).named_parameters()}
    full = {n for n, _ in Policy(PolicyConfig(attention=Attention.FULL)).named_parameters()}
    assert any("broadcast" in name for name in linear)
    assert not any("broadcast" in name for name in full)


def test_the_loss_stays_finite_at_length_1000():
    policy = Policy(preset("paper", "TSP"))
    optimiser = torch.optim.Adam(policy.parameters(), lr=1e-3)
    given = inputs(policy.config, 2, 1000)
    valid = torch.ones(2, 1000, dtype=torch.bool)
    for _ in range(3):
        loss = torch.nn.functional.cross_entropy(
            policy(*given, valid).flatten(1), torch.tensor([3, 4])
        )
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
        optimiser.step()
        assert torch.isfinite(loss)
