"""Native functions with arrays of any content, shape and kind: an error at the worst."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.fuzz.case import Case, Expect, Generator

_REFUSALS = (TypeError, ValueError, IndexError, OverflowError, MemoryError)
_INTS = [
    -1,
    0,
    1,
    2,
    3,
    11,
    12,
    13,
    100,
    2**31 - 1,
    -(2**31),
    2**31,
    2**62,
    2**63 - 1,
    2**63,
    -(2**63),
]
_FLOATS = [np.nan, np.inf, -np.inf, -1.0, 0.0, 1e308, -1e308, 1e-320, 1e30, -0.0]
_N = 12  # nodes


def _base(draws: np.random.Generator) -> dict[str, Any]:
    """Arguments that fit each other: a CVRP of 12 nodes with the depot first."""
    from sil import _native

    coords = draws.random((_N, 2)) * 100
    interrupt = _native.Interrupt()
    interrupt.expire_in(0.2)
    near = np.argsort(((coords[:, None] - coords[None]) ** 2).sum(axis=2), axis=1)[:, 1:6]
    customers = draws.permutation(np.arange(1, _N)).astype(np.int32)
    return {
        "coords": coords,
        "interrupt": interrupt,
        "near": near.astype(np.int32),
        "tour": draws.permutation(_N).astype(np.int32),
        "customers": customers,
        "demand": np.array([0] + [3] * (_N - 1), dtype=np.int64),
        "starts": np.array([0, 4, 8], dtype=np.int32),
        "runs": np.array([[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]], dtype=np.int32),
        "flags": np.array([[True] + [False] * 4] * 2),
        "loads": np.zeros(2, dtype=np.int64),
    }


def _routes(b: dict[str, Any]) -> list[Any]:
    return [b["coords"], b["demand"], 15, b["customers"], b["starts"], b["near"]]


def _parts(b: dict[str, Any]) -> list[Any]:
    return [
        b["coords"], b["demand"], 15, b["runs"], b["flags"], b["loads"], b["loads"] + 0,
    ]  # fmt: skip


def _functions() -> dict[str, Callable[[dict[str, Any]], tuple[Any, list[Any]]]]:
    """Each function with arguments that fit."""
    from sil import _native as n
    from tests.fuzz import native_calls as calls

    def attention(name: str) -> Callable[[dict[str, Any]], tuple[Any, list[Any]]]:
        def make(b: dict[str, Any]) -> tuple[Any, list[Any]]:
            heads, dim, r, k, states = 2, 16, 2, 5, 3
            f = np.float32
            queries = np.ones((heads, states, r, dim), f)
            nodes, mixed = np.ones((states, k, dim), f), queries + 0
            weights = np.ones((states, k, 8), f)
            valid = np.ones((states, k), np.bool_)
            return getattr(n, name), {
                "attention_aggregate": [queries, nodes, valid, 1, weights, mixed],
                "attention_aggregate_back": [
                    queries, nodes, weights, mixed, 1, queries + 0, nodes + 0,
                ],
                "attention_broadcast": [nodes, queries, queries + 0, 1, weights, nodes + 0],
                "attention_broadcast_back": [
                    nodes, queries, mixed, weights, nodes + 0, 1, nodes + 0, queries + 0, mixed + 0,
                ],
            }[name]  # fmt: skip

        return make

    return {
        "insertion": lambda b: (
            calls.insertion, [b["coords"], b["demand"], 9, b["customers"], 2, b["interrupt"]]),
        "insertion of a tour": lambda b: (
            calls.insertion, [b["coords"], None, 0, b["tour"], 1, b["interrupt"]]),
        "savings": lambda b: (
            calls.savings, [b["coords"], b["demand"], 9, b["near"], 1, b["interrupt"]]),
        "greedy_edge": lambda b: (calls.greedy_edge, [b["coords"], b["near"], 2, b["interrupt"]]),
        # Two nodes at each place, which list each other: no other path is near. Without a time
        # limit, because a loop without end must not pass as an interrupted one.
        "greedy_edge of pairs": lambda b: (
            calls.greedy_edge,
            [b["coords"][np.arange(_N) // 2], np.arange(_N, dtype=np.int32)[:, None] ^ 1, 1,
             n.Interrupt()]),
        "neighbours": lambda b: (
            calls.neighbours, [b["coords"], 5, 3, b["tour"], 1, b["interrupt"]]),
        "likely_edges": lambda b: (
            calls.likely_edges,
            [b["coords"], np.repeat(b["near"], 16, axis=1)[:, :16].copy(),
             np.ones((32, 112), np.float32), np.ones((32, 32), np.float32),
             np.ones((16, 32), np.float32), 5, 1, b["interrupt"]]),
        "triangulate": lambda b: (n.triangulate, [b["coords"], 1, b["interrupt"]]),
        "improve_order": lambda b: (
            calls.improve_order, [*_routes(b), False, 5.0, 1, 1, b["interrupt"]]),
        "search_tour": lambda b: (
            calls.search_tour,
            [b["coords"], b["tour"], np.zeros(1, np.int32), b["near"], np.zeros(_N, np.int32), 1,
             True, 5.0, 1.0, 1, 1, b["interrupt"]]),
        "search_routes": lambda b: (
            calls.search_routes,
            [*_routes(b), np.zeros(3, np.int32), 1, None, 5.0, 1.0, 1, 1, b["interrupt"]]),
        "hilbert_keys": lambda b: (n.hilbert_keys, [b["coords"]]),
        "reconstruct_exactly": lambda b: (calls.exactly, [*_parts(b), 1, b["interrupt"]]),
        "reconstruct_exactly a tour": lambda b: (
            calls.exactly, [b["coords"], None, 0, b["runs"], None, None, None, 1, b["interrupt"]]),
        "recombine": lambda b: (
            calls.recombine,
            [b["coords"], b["demand"], 15, np.zeros(_N - 1, np.int32), b["customers"], b["starts"],
             b["customers"][::-1].copy(), b["starts"]]),
        "recombine tours": lambda b: (
            calls.recombine,
            [b["coords"], None, 0, np.zeros(_N, np.int32), b["tour"], np.zeros(1, np.int32),
             b["tour"], np.zeros(1, np.int32)]),
        "nearest_others": lambda b: (n.nearest_others, [b["coords"].reshape(2, 6, 2), 3]),
        "observe": lambda b: (calls.observe, [*_parts(b), np.array([1, 2])]),
        "decode": lambda b: (calls.decode, [*_parts(b), False, False, 1, 1, b["interrupt"]]),
        "instance": lambda b: (calls.make_instance, [n.Metric.EUC_2D, b["coords"], 1, 2]),
        "instance of a matrix": lambda b: (
            calls.make_matrix, [n.Metric.EXPLICIT, np.zeros((4, 4)), 1, 2]),
        "shape": lambda b: (
            n.PolicyShape, [16, 1, 2, 32, 2, 7, 4, 2, 8, 1, n.Frame.STEP, 1.0, False]),
        "expire_in": lambda b: (calls.expire, [1.0]),
        **{name: attention(name) for name in (
            "attention_aggregate", "attention_aggregate_back", "attention_broadcast",
            "attention_broadcast_back")},
    }  # fmt: skip


def _spoiled(rng: random.Random, value: Any) -> Any:
    """Make something else of an argument."""
    if isinstance(value, bool) or value is None:
        return rng.choice([True, False, None])
    if isinstance(value, int):
        return rng.choice([*_INTS, 1.5, None, "x"])
    if isinstance(value, float):
        return rng.choice([*_FLOATS, None])
    if isinstance(value, tuple):
        return tuple(rng.choice(_FLOATS) for _ in value)
    if isinstance(value, np.ndarray):
        return rng.choice(_ARRAYS)(rng, value)
    return rng.choice([None, value])


def _content(rng: random.Random, array: Any) -> Any:
    changed = np.array(array)
    for _ in range(rng.choice([1, 1, 2, 5])):
        if changed.size == 0:
            break
        at = rng.randrange(changed.size)
        if changed.dtype.kind == "f":
            changed.flat[at] = rng.choice(_FLOATS) if changed.dtype.itemsize == 8 else np.nan
        elif changed.dtype.kind == "i":
            limits = np.iinfo(changed.dtype)
            odd = [value for value in _INTS if limits.min <= value <= limits.max]
            changed.flat[at] = rng.choice([*odd, int(changed.flat[0])])
        else:
            changed.flat[at] = not changed.flat[at]
    return changed


def _all_same(rng: random.Random, array: Any) -> Any:
    return np.full_like(array, array.flat[0] if array.size else 0)


def _shorter(rng: random.Random, array: Any) -> Any:
    return array[: rng.randrange(len(array))].copy()


def _longer(rng: random.Random, array: Any) -> Any:
    return np.concatenate([array, array[: rng.randint(1, 3)]])


def _narrow(rng: random.Random, array: Any) -> Any:
    return array[..., :-1].copy() if rng.random() < 0.5 else array[..., :0].copy()


def _wider(rng: random.Random, array: Any) -> Any:
    return np.concatenate([array, array], axis=-1)


def _kind(rng: random.Random, array: Any) -> Any:
    kinds = ["i1", "i8", "u4", "f4", "f8", "c16", "?", "U3", "O", "M8[s]", ">i4", ">f8"]
    return np.zeros(array.shape, rng.choice(kinds))


def _layout(rng: random.Random, array: Any) -> Any:
    return rng.choice([array[::-1], np.asfortranarray(array), array[None], array.ravel(), [*array]])


def _frozen(rng: random.Random, array: Any) -> Any:
    changed = array.copy()
    changed.setflags(write=False)
    return changed


_ARRAYS: list[Callable[[random.Random, Any], Any]] = [
    *(_content,) * 6, _all_same, _shorter, _shorter, _longer, _narrow, _wider, _kind, _layout,
    _frozen,
]  # fmt: skip


def native(rng: random.Random) -> Case:
    """Call a native function, mostly with one or a few arguments spoiled."""
    name = rng.choice(_NAMES)
    spoiled = rng.choice([0, 1, 1, 1, 1, 1, 1, 1, 2, 3])
    seed = rng.randrange(2**32)

    def call() -> None:
        draws = np.random.default_rng(seed)
        function, arguments = _functions()[name](_base(draws))
        inner = random.Random(seed)
        for _ in range(spoiled):
            at = inner.randrange(len(arguments))
            arguments[at] = _spoiled(inner, arguments[at])
        function(*arguments)

    expect = Expect.EITHER if spoiled else Expect.WORK
    return Case(f"native {name}, {spoiled} spoiled", expect, call=call, allowed=_REFUSALS, cpu=5)


_NAMES = [
    "insertion", "insertion of a tour", "savings", "greedy_edge", "greedy_edge of pairs",
    "neighbours", "likely_edges", "triangulate", "improve_order", "search_tour", "search_routes",
    "hilbert_keys",
    "reconstruct_exactly", "reconstruct_exactly a tour", "recombine", "recombine tours",
    "nearest_others", "observe", "decode", "instance", "instance of a matrix", "shape", "expire_in",
    "attention_aggregate", "attention_aggregate_back", "attention_broadcast",
    "attention_broadcast_back",
]  # fmt: skip
GENERATORS = [Generator("native", native, 8)]
