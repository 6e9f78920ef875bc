"""The policy's native functions must be safe for any array that Python can pass."""

import numpy as np
import pytest

from sil import _native
from sil._native import EDGE_CANDIDATES, Candidates, EdgeNetwork, Frame, Interrupt, Neighbours
from tests.misuse import (
    BAD_SEED,
    BAD_THREADS,
    COORDS,
    NEAR,
    Cases,
    N,
    bad_parts,
    instance,
    misaligned,
    parts,
    read_only,
    run_apart,
    varied,
)

SHAPE = {
    "dim": 16,
    "layers": 1,
    "heads": 2,
    "feed_forward": 16,
    "representatives": 2,
    "features": 4,
    "context": 4,
    "actions": 2,
    "candidates": 5,
    "neighbours": 0,
    "frame": Frame.STEP,
    "reach": 1.0,
    "normalised": False,
}


def shape(**other) -> _native.PolicyShape:
    return _native.PolicyShape(**{**SHAPE, **other})


def weights() -> dict[str, np.ndarray]:
    found = {
        "encoder.weight": (16, 4),
        "encoder.bias": (16,),
        "from_destination.weight": (16, 20),
        "from_start.weight": (16, 20),
        "score.weight": (2, 16),
    }
    for half in ("aggregate", "broadcast"):
        for matrix in ("query", "key", "value", "out"):
            found[f"modules_.0.{half}.attention.{matrix}.weight"] = (16, 16)
        found[f"modules_.0.{half}.widen.weight"] = (16, 16)
        found[f"modules_.0.{half}.widen.bias"] = (16,)
        found[f"modules_.0.{half}.narrow.weight"] = (16, 16)
        found[f"modules_.0.{half}.narrow.bias"] = (16,)
    return {name: np.full(size, 0.1, dtype=np.float32) for name, size in found.items()}


def policy() -> _native.Policy:
    return _native.Policy(shape(), weights(), "portable")


def attention(*names: str) -> dict[str, object]:
    """Arguments of the attention functions for 2 states, 5 nodes, 2 heads and 3 rows a head."""
    sizes = {
        "queries": (2, 2, 3, 16),
        "keys": (2, 2, 3, 16),
        "values": (2, 2, 3, 16),
        "mixed": (2, 2, 3, 16),
        "nodes": (2, 5, 16),
        "out": (2, 5, 16),
        "weights": (2, 5, 8),
        "valid": (2, 5),
    }

    def make(name: str) -> object:
        if name == "threads":
            return 1
        size = sizes[name.removeprefix("to_")]
        return np.ones(size, dtype=bool if name == "valid" else np.float32)

    return {name: make(name) for name in names}


def bad_attention(written: tuple[str, ...], *names: str) -> list[dict]:
    good = attention(*names)
    calls = [{**good, "threads": each} for each in BAD_THREADS]
    for name in names:
        if name == "threads":
            continue
        array = good[name]
        calls += [{**good, name: each} for each in (array[:1], array[..., :-1], array[0], None)]
        if name in written:
            calls.append({**good, name: read_only(array)})
            calls.append({**good, name: array.astype(np.float64)})
    one, other = written
    if good[one].shape == good[other].shape:
        calls.append({**good, other: good[one]})
    big = np.ones(4096, dtype=np.float32)
    shared = {name: big[: good[name].size].reshape(good[name].shape) for name in written}
    return [*calls, {**good, **shared}]


def candidates(width: int = EDGE_CANDIDATES, nodes: int = N) -> Candidates:
    lists = np.resize(NEAR[:nodes] % nodes, (nodes, width))
    points = _native.Instance(_native.Metric.EUCLIDEAN, COORDS[:nodes])
    found = points.candidates(Neighbours(lists), 1, Interrupt())
    assert found is not None
    return found


def edge_weights() -> list[np.ndarray]:
    shapes = [(16, 7 * EDGE_CANDIDATES), (16,), (16, 16), (16,), (EDGE_CANDIDATES, 16), (16,)]
    return [np.full(size, 0.1, dtype=np.float32) for size in shapes]


def bad_edge_weights() -> list[object]:
    good = edge_weights()
    others = [np.zeros(3, dtype=np.float32), good[0][:0], "no array"]
    return [
        None,
        good[:5],
        [*good, good[0]],
        *([*good[:i], other, *good[i + 1 :]] for i in range(6) for other in others),
        [misaligned(each) for each in good],
    ]


def cases() -> Cases:
    """By the name of each function, how to call it, and bad calls."""
    observed = {
        "shape": shape(),
        "instance": instance(),
        "parts": parts(),
        "steps": np.zeros(3, dtype=np.int64),
    }
    decoded = {
        "instance": instance(),
        "parts": parts(),
        "mirrored": False,
        "sample": False,
        "seed": 0,
        "threads": 1,
        "interrupt": Interrupt(),
    }
    of_one = parts(nodes=np.zeros((3, 1), dtype=np.int32), via_depot=np.zeros((3, 1), dtype=bool))
    others = [instance(routed=False), instance(capacity=0)]
    stepwise = {
        "shape": shape(),
        "instance": instance(),
        "parts": parts(),
        "mirrored": False,
        "sample": False,
        "seed": 0,
    }
    observed_decoding = _native.Decoding(**stepwise)
    observed_decoding.observe(1, Interrupt())
    scores = np.zeros((3, 2, 2), dtype=np.float32)
    bad_logits = [scores[:2], scores[:, :1], scores[..., :1], misaligned(scores), None]
    logits = {
        "nodes": np.zeros((2, 3, 4), dtype=np.float32),
        "start": np.zeros((2, 4), dtype=np.float32),
        "destination": np.zeros((2, 4), dtype=np.float32),
        "context": np.zeros((2, 4), dtype=np.float32),
    }
    likely = {
        "instance": instance(),
        "candidates": candidates(),
        "width": 5,
        "fewest": 3,
        "least": 0.0,
        "threads": 1,
        "interrupt": Interrupt(),
    }
    bad_candidates = [candidates(15), candidates(nodes=N - 1), None]
    return {
        "edge_features": (
            _native.edge_features,
            varied(
                {"instance": instance(), "candidates": candidates()},
                {"instance": [None], "candidates": bad_candidates},
            ),
        ),
        "EdgeNetwork": (EdgeNetwork, varied({}, {"weights": bad_edge_weights()})),
        "EdgeNetwork.likeliest": (
            EdgeNetwork(edge_weights()).likeliest,
            varied(
                likely,
                {
                    "instance": [None],
                    "candidates": bad_candidates,
                    "width": [-1, EDGE_CANDIDATES + 1, 2**63],
                    "fewest": [-1, None],
                    "least": [None, "0"],
                    "threads": BAD_THREADS,
                    "interrupt": [None],
                },
            ),
        ),
        "nearest_others": (
            _native.nearest_others,
            varied(
                {"points": COORDS[None], "wanted": 2},
                {
                    "points": [COORDS, COORDS[None, :, :1], misaligned(COORDS[None])],
                    "wanted": [-1, 2**20, 2**31],
                },
            ),
        ),
        "attention_aggregate": (
            _native.attention_aggregate,
            bad_attention(
                ("weights", "mixed"), "queries", "nodes", "valid", "threads", "weights", "mixed"
            ),
        ),
        "attention_aggregate_back": (
            _native.attention_aggregate_back,
            bad_attention(
                ("to_queries", "to_nodes"),
                *("queries", "nodes", "weights", "to_mixed", "threads", "to_queries", "to_nodes"),
            ),
        ),
        "attention_broadcast": (
            _native.attention_broadcast,
            bad_attention(
                ("weights", "out"), "nodes", "keys", "values", "threads", "weights", "out"
            ),
        ),
        "attention_broadcast_back": (
            _native.attention_broadcast_back,
            bad_attention(
                ("to_keys", "to_values"),
                *("nodes", "keys", "values", "weights", "to_out", "threads"),
                *("to_nodes", "to_keys", "to_values"),
            ),
        ),
        "PolicyShape": (
            _native.PolicyShape,
            varied(
                SHAPE,
                {
                    "dim": [0, -16, 24, 2**30],
                    "layers": [0, -1, 10_000_000],
                    "heads": [0, -1, 3, 2**20],
                    "feed_forward": [0, 8, 2**30],
                    "representatives": [0, 1, -1, 2**30],
                    "features": [0, 3, 400],
                    "context": [0, 5],
                    "actions": [0, 1, 3],
                    "candidates": [-1, 2**30],
                    "neighbours": [-1, 1, 2**30],
                    "frame": [7, None],
                    "reach": [0.0, -1.0, np.nan, np.inf],
                },
            ),
        ),
        "Policy": (
            _native.Policy,
            varied(
                {"shape": shape(), "weights": weights(), "instruction_set": "portable"},
                {
                    "weights": [
                        {},
                        {3: np.zeros(4, dtype=np.float32)},
                        {**weights(), "encoder.bias": "no array"},
                        *({**weights(), name: np.zeros(3, dtype=np.float32)} for name in weights()),
                        *({k: v for k, v in weights().items() if k != name} for name in weights()),
                    ],
                    "instruction_set": ["mmx", "", None],
                },
            ),
        ),
        "Policy.logits": (
            policy().logits,
            [{**logits, name: array[..., :-1]} for name, array in logits.items()]
            + [{**logits, name: array[:1]} for name, array in logits.items()]
            + [{**logits, name: misaligned(array)} for name, array in logits.items()],
        ),
        "Policy.decode": (
            policy().decode,
            varied(
                decoded,
                {
                    "instance": others,
                    "parts": bad_parts(),
                    "seed": BAD_SEED,
                    "threads": BAD_THREADS,
                },
            ),
        ),
        "Decoding": (
            _native.Decoding,
            varied(
                stepwise,
                {
                    "instance": others,
                    "parts": [*bad_parts(), of_one],
                    "seed": BAD_SEED,
                },
            ),
        ),
        "Decoding.observe": (
            _native.Decoding(**stepwise).observe,
            varied({"threads": 1, "interrupt": Interrupt()}, {"threads": BAD_THREADS}),
        ),
        "Decoding.choose": (observed_decoding.choose, varied({}, {"logits": bad_logits})),
        "Decoding.choose before it is observed": (
            _native.Decoding(**stepwise).choose,
            [{"logits": np.zeros((3, 2, 2), dtype=np.float32)}],
        ),
        "Decoding.finish": (_native.Decoding(**stepwise).finish, [{}]),
        "observe": (
            _native.observe,
            varied(
                observed,
                {
                    "instance": others,
                    "parts": [*bad_parts(), of_one],
                    "steps": [np.full(3, -1), np.full(3, 3), np.zeros(2, dtype=np.int64)],
                },
            ),
        ),
    }


@pytest.mark.parametrize("name", list(cases()))
def test_bad_calls_are_refused(name):
    run_apart(__name__, name)
