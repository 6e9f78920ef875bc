"""The forms of attention and feed-forward that save work compute what the plain ones do."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from sil.policy.attention import aggregate, broadcast
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
    attended = layer.attention(x, c, None)
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


@pytest.mark.parametrize("rows", [700, 5000])  # one tile, and more than one
@pytest.mark.parametrize("with_score", [False, True])
def test_products_of_half_the_bits_differ_by_their_rounding_only(rows, with_score):
    torch.manual_seed(rows)
    layer = AttentionLayer(Broadcast(16, 4), 16, 32)
    score = torch.randn(2, 16).requires_grad_() if with_score else None
    x, c = torch.randn(1, rows, 16).requires_grad_(), torch.randn(1, 2, 16)
    inputs = [x, *layer.parameters(), *([] if score is None else [score])]
    weight = torch.randn(1, rows, 16 if score is None else 2)

    def results() -> list[torch.Tensor]:
        found = layer(x, c, None, score)
        return [found, *torch.autograd.grad((found * weight).sum(), inputs)]

    exact = results()
    layer.products = torch.bfloat16
    rounded = results()
    assert not torch.equal(exact[0], rounded[0])
    for one, other in zip(exact, rounded, strict=True):
        assert other.dtype == torch.float32
        assert (one - other).norm() < 0.1 * one.norm()


shapes = st.tuples(
    st.integers(1, 5),  # states
    st.integers(1, 20),  # nodes
    st.sampled_from([1, 2, 3, 8]),  # heads
    st.sampled_from([1, 2, 3, 4, 8, 16]),  # representatives
    st.sampled_from([1, 2]),  # threads
)


@settings(max_examples=60)
@given(shapes, st.integers(0, 1000))
def test_native_attention_and_its_gradients_are_those_of_pytorch(shape, seed):
    states, count, heads, few, threads = shape
    torch.manual_seed(seed)
    nodes = torch.randn(states, count, 16 * heads)
    rows, values = torch.randn(2, heads, states, few, 16 * heads)
    valid = torch.rand(states, count) < 0.7
    valid[:, 0] = True
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        for function, inputs in (
            (lambda q, n: aggregate(q, n, valid), (rows, nodes)),
            (broadcast, (nodes, rows, values)),
        ):
            # In double precision PyTorch does it.
            ours = [tensor.clone().requires_grad_() for tensor in inputs]
            theirs = [tensor.double().requires_grad_() for tensor in inputs]
            found, expected = function(*ours), function(*theirs)
            assert torch.allclose(found.double(), expected, atol=1e-4, rtol=1e-4)
            toward = torch.randn_like(found)
            for one, other in zip(
                torch.autograd.grad(found, ours, toward),
                torch.autograd.grad(expected, theirs, toward.double()),
                strict=True,
            ):
                assert torch.allclose(one.double(), other, atol=1e-3, rtol=1e-3)
    finally:
        torch.set_num_threads(before)
