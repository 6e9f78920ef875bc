"""The forms of attention and feed-forward that save work compute what the plain ones do."""

import pytest
import torch

from sil.policy.model import Aggregation, AttentionLayer, Broadcast, MultiHeadAttention


def plain_twin(attention: MultiHeadAttention) -> MultiHeadAttention:
    twin = MultiHeadAttention(16, 4).double()
    twin.load_state_dict(attention.state_dict())
    return twin


@pytest.mark.parametrize("few", [1, 2, 5])
def test_aggregation_is_attention_from_few_to_many(few):
    torch.manual_seed(few)
    attention = Aggregation(16, 4).double()
    x, c = torch.randn(3, few, 16).double(), torch.randn(3, 9, 16).double()
    mask = torch.rand(3, 9) < 0.7
    mask[:, 0] = True
    assert torch.allclose(attention(x, c, mask), plain_twin(attention)(x, c, mask))
    assert torch.allclose(attention(x, c, None), plain_twin(attention)(x, c, None))


@pytest.mark.parametrize("few", [1, 2, 5])
def test_broadcast_is_attention_from_many_to_few(few):
    torch.manual_seed(few)
    attention = Broadcast(16, 4).double()
    x, c = torch.randn(3, 9, 16).double(), torch.randn(3, few, 16).double()
    assert torch.allclose(attention(x, c, None), plain_twin(attention)(x, c, None))


@pytest.mark.parametrize("rows", [1, 700])  # one tile, and more than one
@pytest.mark.parametrize("with_score", [False, True])
def test_the_feed_forward_and_its_gradients_are_the_plain_ones(rows, with_score):
    torch.manual_seed(rows)
    layer = AttentionLayer(Broadcast(16, 4), 16, 32).double()
    score = torch.randn(2, 16).double().requires_grad_() if with_score else None
    x = torch.randn(1, rows, 16).double().requires_grad_()
    c = torch.randn(1, 2, 16).double()
    inputs = [x, *layer.parameters(), *([] if score is None else [score])]

    found = layer(x, c, None, score)
    attended = x + layer.attention(x, c, None)
    expected = attended + layer.narrow(torch.relu(layer.widen(attended)))
    if score is not None:
        expected = expected @ score.T
    assert torch.allclose(found, expected)
    weight = torch.randn_like(found)
    for one, other in zip(
        torch.autograd.grad((found * weight).sum(), inputs),
        torch.autograd.grad((expected * weight).sum(), inputs),
        strict=True,
    ):
        assert torch.allclose(one, other)
