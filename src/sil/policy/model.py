"""The policy in PyTorch, written so that the paper's equations can be read off it.

Section and equation names are those of the paper, sections Linear Attention Model and Model
Details. Tensors are batched over decoding states: b states with k candidate nodes each.
"""

import math

import torch
from torch import Tensor, nn

from sil.policy.config import Attention, PolicyConfig

# Without normalisation, residual branches must start small or the loss becomes NaN.
_RESIDUAL_SCALE = 0.1


class MultiHeadAttention(nn.Module):
    """MHA(X, C): queries from X, keys and values from C (Attention Layer, equation mha)."""

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
        """Attend from x (b, n, d) to c (b, m, d); `mask` (b, m) says which of c are there."""
        q, k, v = (self._split(p(y)) for p, y in ((self.query, x), (self.key, c), (self.value, c)))
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])  # (b, heads, n, m)
        if mask is not None:
            scores = scores.masked_fill(~mask[:, None, None, :], -torch.inf)
        mixed = scores.softmax(dim=-1) @ v  # (b, heads, n, d / heads)
        result: Tensor = self.out(mixed.transpose(1, 2).flatten(2))
        return result

    def _split(self, x: Tensor) -> Tensor:
        heads = x.reshape(*x.shape[:-1], self.heads, -1)
        return heads.transpose(1, 2)  # (b, heads, n, d / heads)


class AttentionLayer(nn.Module):
    """AttentionLayer(X, C): attention and feed-forward, each with a residual, no normalisation."""

    def __init__(self, dim: int, heads: int, feed_forward: int) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.widen = nn.Linear(dim, feed_forward)
        self.narrow = nn.Linear(feed_forward, dim)
        with torch.no_grad():
            self.narrow.weight.mul_(_RESIDUAL_SCALE)

    def forward(self, x: Tensor, c: Tensor, mask: Tensor | None = None) -> Tensor:
        """Update x (b, n, d) from c (b, m, d)."""
        x = x + self.attention(x, c, mask)
        result: Tensor = x + self.narrow(torch.relu(self.widen(x)))
        return result


class LinearAttentionModule(nn.Module):
    """Representatives aggregate from all nodes, then broadcast to them (equations 4 and 5)."""

    def __init__(self, dim: int, heads: int, feed_forward: int) -> None:
        super().__init__()
        self.aggregate = AttentionLayer(dim, heads, feed_forward)
        self.broadcast = AttentionLayer(dim, heads, feed_forward)

    def forward(self, r: Tensor, h: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Update the representatives r (b, r, d) and the nodes h (b, r + k, d)."""
        r = self.aggregate(r, h, mask)
        return r, self.broadcast(h, r)


class SelfAttentionModule(nn.Module):
    """All nodes attend to all, with quadratic cost, as in LEHD; for comparison."""

    def __init__(self, dim: int, heads: int, feed_forward: int) -> None:
        super().__init__()
        self.layer = AttentionLayer(dim, heads, feed_forward)

    def forward(self, r: Tensor, h: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Update the nodes h (b, r + k, d)."""
        return r, self.layer(h, h, mask)


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
            module(dim, config.heads, config.feed_forward) for _ in range(config.layers)
        )
        self.score = nn.Linear(dim, config.num_actions, bias=False)  # W_O

    def forward(
        self, nodes: Tensor, start: Tensor, destination: Tensor, context: Tensor, valid: Tensor
    ) -> Tensor:
        """Return logits (b, k, actions).

        Parameters
        ----------
        nodes
            Features of the candidates, shape (b, k, f).
        start
            Features of the node reached last, shape (b, f).
        destination
            Features of the destination, shape (b, f).
        context
            What joins the representatives, shape (b, c).
        valid
            Which candidates are there, shape (b, k).
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
        for module in self.modules_:
            r, h = module(r, h, mask)
        # Start and destination are masked by leaving them out.
        logits: Tensor = self.score(h[:, count:])
        return logits.masked_fill(~valid[..., None], -torch.inf)
