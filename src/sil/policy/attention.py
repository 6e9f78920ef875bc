"""Attention between a few folded representatives and many nodes, with gradients.

On the CPU it runs in C++, one state at a time so that it stays in the cache; elsewhere in PyTorch.
"""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from sil import _native


def aggregate(queries: Tensor, nodes: Tensor, valid: Tensor) -> Tensor:
    """Average the nodes, weighted by the attention of each query, shape (heads, b, r, d).

    Parameters
    ----------
    queries
        Queries of the representatives, times the weights of the keys, shape (heads, b, r, d).
    nodes
        The nodes that they attend to, shape (b, m, d).
    valid
        Which of the nodes exist, shape (b, m); the others are padding.
    """
    if _is_native(nodes):
        mixed: Tensor = _Aggregate.apply(queries, nodes, valid)  # type: ignore[no-untyped-call]
        return mixed
    scores = queries @ nodes.transpose(1, 2) / math.sqrt(nodes.shape[-1] / len(queries))
    return scores.masked_fill(~valid[:, None, :], -torch.inf).softmax(dim=-1) @ nodes


def broadcast(nodes: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Let each node attend to the representatives and add the result, shape (b, m, d).

    Parameters
    ----------
    nodes
        The nodes, shape (b, m, d).
    keys
        Keys of the representatives, times the weights of the queries, shape (heads, b, r, d).
    values
        Values of the representatives, times the weights of the output, same shape.
    """
    if _is_native(nodes):
        result: Tensor = _Broadcast.apply(nodes, keys, values)  # type: ignore[no-untyped-call]
        return result
    scores = nodes @ keys.transpose(-1, -2) / math.sqrt(nodes.shape[-1] / len(keys))
    return nodes + (scores.softmax(dim=-1) @ values).sum(dim=0)


def _is_native(nodes: Tensor) -> bool:
    return nodes.device.type == "cpu" and nodes.dtype == torch.float32


class _Aggregate(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, queries: Tensor, nodes: Tensor, valid: Tensor) -> Tensor:
        queries, nodes = queries.contiguous(), nodes.contiguous()
        weights, mixed = _weights(queries, nodes), torch.empty_like(queries)
        valid = valid.contiguous()
        _call(_native.attention_aggregate, (queries, nodes, valid), (weights, mixed))
        ctx.save_for_backward(queries, nodes, weights)
        return mixed

    @staticmethod
    def backward(ctx: Any, to_mixed: Tensor) -> tuple[Tensor | None, ...]:
        queries, nodes, weights = ctx.saved_tensors
        to_queries, to_nodes = torch.empty_like(queries), torch.empty_like(nodes)
        given = (queries, nodes, weights, to_mixed.contiguous())
        _call(_native.attention_aggregate_back, given, (to_queries, to_nodes))
        return to_queries, to_nodes, None


class _Broadcast(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, nodes: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        nodes, keys, values = nodes.contiguous(), keys.contiguous(), values.contiguous()
        weights, result = _weights(keys, nodes), torch.empty_like(nodes)
        _call(_native.attention_broadcast, (nodes, keys, values), (weights, result))
        ctx.save_for_backward(nodes, keys, values, weights)
        return result

    @staticmethod
    def backward(ctx: Any, to_result: Tensor) -> tuple[Tensor, ...]:
        nodes, keys, values, weights = ctx.saved_tensors
        gradients = tuple(torch.empty_like(tensor) for tensor in (nodes, keys, values))
        given = (nodes, keys, values, weights, to_result.contiguous())
        _call(_native.attention_broadcast_back, given, gradients)
        return gradients


def _weights(rows: Tensor, nodes: Tensor) -> Tensor:
    """Allocate weights (b, m, heads * r), the last dimension rounded up to whole vectors."""
    pairs = rows.shape[0] * rows.shape[2]
    return nodes.new_empty(*nodes.shape[:2], (pairs + 7) // 8 * 8)


def _call(
    function: Callable[..., None], given: tuple[Tensor, ...], written: tuple[Tensor, ...]
) -> None:
    """Call a native function that reads some tensors and writes others."""
    arrays = [[tensor.detach().numpy() for tensor in tensors] for tensors in (given, written)]
    function(*arrays[0], torch.get_num_threads(), *arrays[1])
