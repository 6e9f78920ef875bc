"""Attention between a few folded representatives and many nodes, forwards and backwards.

On the CPU in C++, one state at a time in the nearest cache; elsewhere in PyTorch's own products.
"""

import math
from typing import Any

import torch
from torch import Tensor

from sil import _native


def aggregate(queries: Tensor, nodes: Tensor, valid: Tensor, heads: int) -> Tensor:
    """Mix the nodes by how much each query attends to them, shape (b, p, d).

    Parameters
    ----------
    queries
        Of the representatives, head by head, already multiplied by the keys' weights,
        shape (b, p, d).
    nodes
        What they attend to, shape (b, m, d).
    valid
        Which of the nodes are there, shape (b, m).
    heads
        Of the attention.
    """
    if _is_native(nodes):
        mixed: Tensor = _Aggregate.apply(queries, nodes, valid, heads)  # type: ignore[no-untyped-call]
        return mixed
    scores = queries @ nodes.transpose(1, 2) / math.sqrt(nodes.shape[-1] / heads)
    return scores.masked_fill(~valid[:, None, :], -torch.inf).softmax(dim=-1) @ nodes


def broadcast(nodes: Tensor, keys: Tensor, values: Tensor, heads: int) -> Tensor:
    """Add to each node what it attends to of the representatives, shape (b, m, d).

    Parameters
    ----------
    nodes
        The nodes, shape (b, m, d).
    keys
        Of the representatives, head by head, already multiplied by the queries' weights,
        shape (b, p, d).
    values
        The same, already multiplied by the output's weights.
    heads
        Of the attention.
    """
    if _is_native(nodes):
        result: Tensor = _Broadcast.apply(nodes, keys, values, heads)  # type: ignore[no-untyped-call]
        return result
    scores = keys @ nodes.transpose(1, 2) / math.sqrt(nodes.shape[-1] / heads)
    weights = scores.unflatten(1, (heads, -1)).softmax(dim=2)  # (b, heads, r, m)
    return nodes + weights.flatten(1, 2).transpose(1, 2) @ values


def _is_native(nodes: Tensor) -> bool:
    return nodes.device.type == "cpu" and nodes.dtype == torch.float32


class _Aggregate(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, queries: Tensor, nodes: Tensor, valid: Tensor, heads: int) -> Tensor:
        queries, nodes = queries.contiguous(), nodes.contiguous()
        weights, mixed = _weights(queries, nodes), torch.empty_like(queries)
        _native.attention_aggregate(
            *_arrays(queries, nodes, valid.contiguous()), *_how(heads), *_arrays(weights, mixed)
        )
        ctx.save_for_backward(queries, nodes, weights)
        ctx.heads = heads
        return mixed

    @staticmethod
    def backward(ctx: Any, to_mixed: Tensor) -> tuple[Tensor | None, ...]:
        queries, nodes, weights = ctx.saved_tensors
        to_queries, to_nodes = torch.empty_like(queries), torch.empty_like(nodes)
        _native.attention_aggregate_back(
            *_arrays(queries, nodes, weights, to_mixed.contiguous()),
            *_how(ctx.heads),
            *_arrays(to_queries, to_nodes),
        )
        return to_queries, to_nodes, None, None


class _Broadcast(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, nodes: Tensor, keys: Tensor, values: Tensor, heads: int) -> Tensor:
        nodes, keys, values = nodes.contiguous(), keys.contiguous(), values.contiguous()
        weights, result = _weights(keys, nodes), torch.empty_like(nodes)
        _native.attention_broadcast(
            *_arrays(nodes, keys, values), *_how(heads), *_arrays(weights, result)
        )
        ctx.save_for_backward(nodes, keys, values, weights)
        ctx.heads = heads
        return result

    @staticmethod
    def backward(ctx: Any, to_result: Tensor) -> tuple[Tensor | None, ...]:
        nodes, keys, values, weights = ctx.saved_tensors
        gradients = [torch.empty_like(tensor) for tensor in (nodes, keys, values)]
        _native.attention_broadcast_back(
            *_arrays(nodes, keys, values, weights, to_result.contiguous()),
            *_how(ctx.heads),
            *_arrays(*gradients),
        )
        return (*gradients, None)


def _weights(rows: Tensor, nodes: Tensor) -> Tensor:
    """Make room for weights (b, m, p), with p rounded up to whole vectors."""
    padded = (rows.shape[1] + 7) // 8 * 8
    return nodes.new_empty(*nodes.shape[:2], padded)


def _how(heads: int) -> tuple[int, int]:
    return heads, torch.get_num_threads()


def _arrays(*tensors: Tensor) -> tuple[Any, ...]:
    return tuple(tensor.detach().numpy() for tensor in tensors)
