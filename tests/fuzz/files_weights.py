"""Weights: a .safetensors file and its .json, spoiled anyhow or wrong in known ways."""

import json
import random
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.fuzz.case import Case, Expect, Generator
from tests.fuzz.mutate import spoil_bytes, spoil_text
from tests.fuzz.problems import random_instance
from tests.fuzz.uses import solved

_CONFIG: dict[str, Any] = {
    "dim": 16, "layers": 1, "heads": 2, "feed_forward": 32, "representatives": 2,
    "candidates": 8, "frame": "step", "attention": "linear", "neighbours": 1, "reach": 1.0,
    "normalised": False,
}  # fmt: skip
Tensors = dict[str, tuple[str, list[int], bytes]]  # kind, shape, data


def _tensors(problem: str, rng: random.Random) -> Tensors:
    """Draw weights of the small policy above."""
    d, ff = 16, 32
    features, joined, actions = (5, 16, 1) if problem == "TSP" else (7, 20, 2)
    shapes = {
        "encoder.weight": [d, features],
        "encoder.bias": [d],
        "from_destination.weight": [d, joined],
        "from_start.weight": [d, joined],
        "score.weight": [actions, d],
    }
    for part in ("aggregate", "broadcast"):
        at = f"modules_.0.{part}"
        for name in ("query", "key", "value", "out"):
            shapes[f"{at}.attention.{name}.weight"] = [d, d]
        shapes |= {f"{at}.widen.weight": [ff, d], f"{at}.widen.bias": [ff]}
        shapes |= {f"{at}.narrow.weight": [d, ff], f"{at}.narrow.bias": [d]}
    draws = np.random.default_rng(rng.randrange(2**32))
    return {
        name: ("F32", shape, draws.normal(0, 0.3, shape).astype("<f4").tobytes())
        for name, shape in shapes.items()
    }


def _serialised(tensors: Tensors, header_length: int | None = None) -> bytes:
    header: dict[str, Any] = {}
    at = 0
    for name, (kind, shape, data) in tensors.items():
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [at, at + len(data)]}
        at += len(data)
    text = json.dumps(header).encode()
    length = len(text) if header_length is None else header_length
    return struct.pack("<Q", length) + text + b"".join(data for _, _, data in tensors.values())


def weights(rng: random.Random) -> Case:
    """Solve with weights that are right, wrong in known ways, or spoiled anyhow."""
    instance = random_instance(rng, least=4, most=25)
    config = {"problem": instance.kind, **_CONFIG}
    tensors = _tensors(instance.kind, rng)
    text, content = json.dumps(config).encode(), _serialised(tensors)
    expect, what = Expect.WORK, "weights"
    kind = rng.randrange(8)
    if kind == 0:
        text, expect, what = spoil_text(rng, text), Expect.EITHER, "weights with spoiled json"
    elif kind == 1:
        content = spoil_bytes(rng, content)
        expect, what = Expect.EITHER, "spoiled weights"
    elif kind in (2, 3, 4):
        key, bad = rng.choice([(k, b) for k, values in _BAD.items() for b in values])
        text = json.dumps({**config, key: bad}).encode()
        expect, what = Expect.FAIL, f"weights with {key} = {str(bad)[:20]}"
    elif kind in (5, 6):
        what, edit = rng.choice([*_WRONG.items()])
        content = edit(rng, tensors)
        expect, what = Expect.FAIL, f"weights with {what}"
    files = {"p.npz": instance.text(".npz"), "w.safetensors": content, "w.json": text}
    use = rng.choice([("--method", "policy"), ("--method", "none", "--start", "policy")])
    argv = ("solve", "p.npz", "--weights", "w.safetensors", "--rounds", "2", *use)
    return Case(
        what,
        expect,
        (*argv, "--out", "out.json"),
        files=files,
        writes=("out.json",),
        check=solved(instance, "out.json"),
    )


_BAD: dict[str, list[Any]] = {
    "dim": [0, -16, 17, 16.0, 1.5, "16", None, True, 2**31, 2**63, 10**30, [16], float("nan")],
    "layers": [0, -1, 1.0, "1", 10**7, 2**31, None, 2, True, float("inf")],
    "heads": [0, -2, 2.0, 3, "2", None, 2**40],
    "feed_forward": [0, 33, 32.0, 2**40, None, "32", -32],
    "representatives": [1, 0, -1, 2.0, 3, 2**31, 10**9, "2", None],
    "candidates": [0, -1, 8.0, 1.5, "8", 2**31, 2**63, True, float("nan")],
    "frame": ["x", 1, None, ""],
    "attention": ["full", "x", 1, None],
    "neighbours": [-1, 1.0, 2, 2**31, "1", None, True],
    "reach": [0, -1.0, float("nan"), float("inf"), "1", None, True],
    "normalised": [0, "no", None],
    "problem": ["X", "", 1, None, "tsp"],
    "more": [1, None],
}


def _one(change: Callable[[random.Random, str, Tensors], None]) -> Callable[..., bytes]:
    def edit(rng: random.Random, tensors: Tensors) -> bytes:
        changed = dict(tensors)
        change(rng, rng.choice([*tensors]), changed)
        return _serialised(changed)

    return edit


def _kind(rng: random.Random, name: str, tensors: Tensors) -> None:
    kind, size = rng.choice([("F64", 8), ("I32", 4), ("BOOL", 1), ("I64", 8), ("F8_E5M2", 1)])
    _, shape, data = tensors[name]
    tensors[name] = (kind, shape, bytes(len(data) // 4 * size))


def _drop(rng: random.Random, name: str, tensors: Tensors) -> None:
    del tensors[name]


def _more(rng: random.Random, name: str, tensors: Tensors) -> None:
    tensors["more"] = tensors[name]


def _turned(rng: random.Random, name: str, tensors: Tensors) -> None:
    kind, shape, data = tensors["encoder.weight"]
    tensors["encoder.weight"] = (kind, shape[::-1], data)


def _odd_shape(rng: random.Random, name: str, tensors: Tensors) -> None:
    kind, _, data = tensors[name]
    shape = rng.choice([[2**40, 2**40], [0], [], [-1], [1.5], ["a"], [2**63]])
    tensors[name] = (kind, shape, data)


def _nan(rng: random.Random, name: str, tensors: Tensors) -> None:
    kind, shape, data = tensors[name]
    values = np.frombuffer(data, "<f4").copy()
    values[rng.randrange(len(values))] = rng.choice([np.nan, np.inf, -np.inf])
    tensors[name] = (kind, shape, values.tobytes())


def _other_problem(rng: random.Random, tensors: Tensors) -> bytes:
    features = tensors["encoder.weight"][1][1]
    return _serialised(_tensors("CVRP" if features == 5 else "TSP", rng))


def _odd_header(rng: random.Random, tensors: Tensors) -> bytes:
    return _serialised(tensors, rng.choice([0, 1, 7, 2**63, 2**64 - 1, 10**12, 100_000_001]))


_WRONG: dict[str, Callable[[random.Random, Tensors], bytes]] = {
    "another kind of number": _one(_kind),
    "a tensor missing": _one(_drop),
    "a tensor too much": _one(_more),
    "a tensor turned": _one(_turned),
    "an odd shape": _one(_odd_shape),
    "a number that is none": _one(_nan),
    "tensors of the other problem": _other_problem,
    "an odd header": _odd_header,
}

GENERATORS = [Generator("weights", weights, 3)]
