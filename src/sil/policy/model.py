"""The policy in PyTorch, written to follow the paper's equations.

Names of sections and equations refer to the paper, sections Linear Attention Model and Model
Details. Tensors are batches of b decoding states with k candidate nodes each.
"""

import math
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from sil.policy.attention import aggregate, broadcast
from sil.policy.config import Attention, PolicyConfig

# Without normalisation, residual branches must start small or the loss becomes NaN.
_RESIDUAL_SCALE = 0.1
_TINY = 1e-6  # added to a mean square, as in the engine
_TILE = {4: 512, 2: 2048}  # rows, by the size in bytes of the numbers that are multiplied


class MultiHeadAttention(nn.Module):
    """X + MHA(X, C): queries from X, keys and values from C (Attention Layer, equation mha)."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim, bias=False)
        self.key = nn.Linear(dim, dim, bias=False)
        self.value = nn.Linear(dim, dim, bias=False)
        self.out = nn.Linear(dim, dim, bias=False)
        with torch.no_grad():
            self.out.weight.mul_(_RESIDUAL_SCALE)

    def forward(self, x: Tensor, c: Tensor, mask: Tensor | None) -> Tensor:
        """Let x (b, n, d) attend to c (b, m, d); `mask` (b, m) says which of c exist."""
        q, k, v = (self._split(p(y)) for p, y in ((self.query, x), (self.key, c), (self.value, c)))
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])  # (b, heads, n, m)
        if mask is not None:
            scores = scores.masked_fill(~mask[:, None, None, :], -torch.inf)
        mixed = scores.softmax(dim=-1) @ v  # (b, heads, n, d / heads)
        result: Tensor = x + self.out(mixed.transpose(1, 2).flatten(2))
        return result

    def _split(self, x: Tensor) -> Tensor:
        heads = x.reshape(*x.shape[:-1], self.heads, -1)
        return heads.transpose(1, 2)  # (b, heads, n, d / heads)

    def _folded(self, x: Tensor, matrix: Tensor) -> Tensor:
        """Multiply each head of x (b, n, d) by its rows of a matrix, shape (heads, b, n, d)."""
        rows = matrix.reshape(self.heads, -1, matrix.shape[1])  # (heads, d / heads, d)
        # (heads, b * n, d / heads): one product per head
        heads = x.reshape(-1, self.heads, rows.shape[1]).transpose(0, 1)
        return (heads @ rows).reshape(self.heads, *x.shape)


class Aggregation(MultiHeadAttention):
    """The same for few x and many c, without any matrix product per row of c.

    The matrices of keys and values are multiplied with the few queries and the few results instead.
    """

    def forward(self, x: Tensor, c: Tensor, mask: Tensor | None) -> Tensor:
        """Let x (b, n, d) attend to c (b, m, d); `mask` (b, m) says which of c exist."""
        q = self._folded(self.query(x), self.key.weight)  # (heads, b, n, d)
        valid = c.new_ones(c.shape[:2], dtype=torch.bool) if mask is None else mask
        mixed = aggregate(q, c, valid)
        columns = self.value.weight.reshape(self.heads, -1, x.shape[-1]).transpose(1, 2)
        heads = mixed.flatten(1, 2) @ columns  # (heads, b * n, d / heads)
        result: Tensor = x + self.out(heads.transpose(0, 1).reshape(x.shape))
        return result


class Broadcast(MultiHeadAttention):
    """The same for many x and few c, without any matrix product per row of x."""

    def forward(self, x: Tensor, c: Tensor, mask: Tensor | None) -> Tensor:
        """Let x (b, n, d) attend to c (b, m, d), of which none is padding."""
        del mask
        k = self._folded(self.key(c), self.query.weight)  # (heads, b, m, d)
        v = self._folded(self.value(c), self.out.weight.T)
        return broadcast(x, k, v)


class _FeedForward(torch.autograd.Function):
    """W2 relu(W1 x + b1) + b2, plus x if both have the same width.

    Works in tiles of rows, so that the hidden layer goes through the cache only once. The hidden
    layer and the products may have a narrower type than x and the result.
    """

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        widen: Tensor,
        bias: Tensor,
        narrow: Tensor,
        bias2: Tensor,
        products: torch.dtype,
    ) -> Tensor:
        """Map the rows x (n, d); `widen` is (ff, d), `narrow` (outputs, ff)."""
        widen, bias, narrow = (each.to(products) for each in (widen, bias, narrow))
        hidden = x.new_empty(len(x), len(widen), dtype=products)
        result = x.new_empty(len(x), len(narrow))
        for wide, rows, out in _tiles(hidden, x, result):
            torch.mm(rows.to(products), widen.T, out=wide).add_(bias).relu_()
            out.copy_(rows + bias2 if rows.shape == out.shape else bias2)
            _add_product(out, wide, narrow.T)
        ctx.save_for_backward(x, hidden, widen, narrow)
        return result

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        """Return the gradients of all inputs."""
        x, hidden, widen, narrow = ctx.saved_tensors
        products = hidden.dtype
        to_x, to_bias = torch.empty_like(x), x.new_zeros(len(widen))
        to_widen, to_narrow = (x.new_zeros(each.shape) for each in (widen, narrow))
        to_hidden = hidden.new_empty(min(len(x), _tile_of(hidden)), len(widen))
        for wide, rows, above, below in _tiles(hidden, x, gradient, to_x):
            back, over = to_hidden[: len(rows)], above.to(products)
            _add_product(to_narrow, over.T, wide)
            torch.mm(over, narrow, out=back)
            torch.ops.aten.threshold_backward.grad_input(back, wide, 0, grad_input=back)
            _add_product(to_widen, back.T, rows.to(products))
            to_bias.add_(back.sum(dim=0, dtype=x.dtype))
            below.copy_(above) if rows.shape == above.shape else below.zero_()
            _add_product(below, back, widen)
        return to_x, to_widen, to_bias, to_narrow, gradient.sum(dim=0), None


def _add_product(to: Tensor, one: Tensor, other: Tensor) -> None:
    """Add the product of two matrices, which may have a narrower type than the sum."""
    if one.dtype == to.dtype:
        to.addmm_(one, other)
    else:
        to.add_(one @ other)


def _feed_forward(*inputs: Tensor | torch.dtype) -> Tensor:
    result: Tensor = _FeedForward.apply(*inputs)  # type: ignore[no-untyped-call]
    return result


def _tile_of(hidden: Tensor) -> int:
    """Return the number of rows per tile, chosen for the device."""
    if hidden.device.type != "cpu":
        return max(1, len(hidden))
    return _TILE.get(hidden.element_size(), 512)


def _tiles(hidden: Tensor, *others: Tensor) -> Iterator[tuple[Tensor, ...]]:
    """Iterate over tiles of rows of several tensors at once."""
    tile = _tile_of(hidden)
    for begin in range(0, len(hidden), tile):
        yield tuple(tensor[begin : begin + tile] for tensor in (hidden, *others))


def normalise(x: Tensor) -> Tensor:
    """Divide each row by its root mean square."""
    return x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + _TINY)


class AttentionLayer(nn.Module):
    """AttentionLayer(X, C): attention and feed-forward, each with a residual.

    The paper has no normalisation. With it, both see normalised rows.

    Attributes
    ----------
    products
        Type in which the feed-forward multiplies. Default: that of its input.
    """

    products: torch.dtype | None = None

    def __init__(
        self, attention: MultiHeadAttention, dim: int, feed_forward: int, normalised: bool = False
    ) -> None:
        super().__init__()
        self.attention = attention
        self.normalised = normalised
        self.widen = nn.Linear(dim, feed_forward)
        self.narrow = nn.Linear(feed_forward, dim)
        with torch.no_grad():
            self.narrow.weight.mul_(_RESIDUAL_SCALE)

    def forward(
        self, x: Tensor, c: Tensor, mask: Tensor | None = None, score: Tensor | None = None
    ) -> Tensor:
        """Update x (b, n, d) from c (b, m, d).

        With a matrix `score` (actions, d), return the result times this matrix. That takes less
        work than the result alone, because the matrix is folded into the last one of the layer.
        """
        if self.normalised:
            return self._normalised(x, c, mask, score)
        x = self.attention(x, c, mask)
        rows, narrow = x.flatten(0, 1), self.narrow
        first, products = (self.widen.weight, self.widen.bias), self.products or x.dtype
        if score is None:
            result = _feed_forward(rows, *first, narrow.weight, narrow.bias, products)
        else:
            through, bias = score @ narrow.weight, score @ narrow.bias
            result = _feed_forward(rows, *first, through, bias, products) + rows @ score.T
        return result.reshape(*x.shape[:2], -1)

    def _normalised(
        self, x: Tensor, c: Tensor, mask: Tensor | None, score: Tensor | None
    ) -> Tensor:
        seen = normalise(x)
        x = x + self.attention(seen, normalise(c), mask) - seen
        rows, narrow = normalise(x).flatten(0, 1), self.narrow
        first, products = (self.widen.weight, self.widen.bias), self.products or x.dtype
        if score is not None:
            through, bias = score @ narrow.weight, score @ narrow.bias
            result = _feed_forward(rows, *first, through, bias, products)
            return x @ score.T + result.reshape(*x.shape[:2], -1)
        result = _feed_forward(rows, *first, narrow.weight, narrow.bias, products) - rows
        return x + result.reshape(x.shape)


class LinearAttentionModule(nn.Module):
    """Representatives aggregate from all nodes, then broadcast to them (equations 4 and 5)."""

    def __init__(self, dim: int, heads: int, feed_forward: int, normalised: bool) -> None:
        super().__init__()
        sizes = dim, feed_forward, normalised
        self.aggregate = AttentionLayer(Aggregation(dim, heads), *sizes)
        self.broadcast = AttentionLayer(Broadcast(dim, heads), *sizes)

    def forward(
        self, r: Tensor, h: Tensor, mask: Tensor, score: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Update the representatives r (b, r, d) and the nodes h (b, r + k, d), or score these."""
        r = self.aggregate(r, h, mask)
        return r, self.broadcast(h, r, None, score)


class SelfAttentionModule(nn.Module):
    """All nodes attend to all, at quadratic cost, as in LEHD; for comparison."""

    def __init__(self, dim: int, heads: int, feed_forward: int, normalised: bool) -> None:
        super().__init__()
        self.layer = AttentionLayer(MultiHeadAttention(dim, heads), dim, feed_forward, normalised)

    def forward(
        self, r: Tensor, h: Tensor, mask: Tensor, score: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Update the nodes h (b, r + k, d), or score them."""
        return r, self.layer(h, h, mask, score)


class Policy(nn.Module):
    """Scores each candidate node of a decoding state (section Model Structure)."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        self.config = config
        dim, joined = config.dim, config.dim + config.num_context
        module = {
            Attention.LINEAR: LinearAttentionModule,
            Attention.FULL: SelfAttentionModule,
        }[config.attention]
        self.encoder = nn.Linear(config.num_features, dim)  # W^(0), b^(0)
        self.from_destination = nn.Linear(joined, dim, bias=False)  # W_1
        self.from_start = nn.Linear(joined, (config.representatives - 1) * dim, bias=False)  # W_2
        self.modules_ = nn.ModuleList(
            module(dim, config.heads, config.feed_forward, config.normalised)
            for _ in range(config.layers)
        )
        self.score = nn.Linear(dim, config.num_actions, bias=False)  # W_O

    def multiply_in(self, products: torch.dtype) -> None:
        """Let the feed-forward layers multiply in another precision."""
        for layer in self.modules():
            if isinstance(layer, AttentionLayer):
                layer.products = products

    def forward(
        self, nodes: Tensor, start: Tensor, destination: Tensor, context: Tensor, valid: Tensor
    ) -> Tensor:
        """Return logits (b, k, actions).

        Parameters
        ----------
        nodes
            Features of the candidates, shape (b, k, f).
        start
            Features of the node visited last, shape (b, f).
        destination
            Features of the destination, shape (b, f).
        context
            Extra inputs of the representatives, shape (b, c).
        valid
            Which candidates exist, shape (b, k); the others are padding.
        """
        count = self.config.representatives
        h_destination = torch.cat([self.encoder(destination), context], dim=-1)
        h_start = torch.cat([self.encoder(start), context], dim=-1)
        r = torch.cat(
            [
                self.from_destination(h_destination)[:, None],
                self.from_start(h_start).reshape(len(start), count - 1, -1),
            ],
            dim=1,
        )  # (b, r, d)
        h = torch.cat([r, self.encoder(nodes)], dim=1)  # (b, r + k, d)
        mask = torch.cat([valid.new_ones(len(valid), count), valid], dim=1)
        for number, module in enumerate(self.modules_, start=1):
            last = number == len(self.modules_)
            r, h = module(r, h, mask, self.score.weight if last else None)
        # Start and destination cannot be chosen, so they are left out.
        logits = h[:, count:]
        return logits.masked_fill(~valid[..., None], -torch.inf)
