"""npz, json and csv files: spoiled anyhow, wrong in known ways, odd but right."""

import io
import json
import random
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tests.fuzz.case import Case, Expect, Generator
from tests.fuzz.mutate import BAD_NAMES, NAMES, spoil_bytes, spoil_text
from tests.fuzz.problems import npz, random_instance
from tests.fuzz.uses import use_problem, use_solution

Values = dict[str, Any]


def spoiled(rng: random.Random) -> Case:
    """Spoil a file anyhow."""
    instance = random_instance(rng, least=2, most=12)
    ending = rng.choice([".npz", ".json"])
    spoil = spoil_bytes if ending == ".npz" else spoil_text
    content = spoil(rng, instance.text(ending))
    return use_problem(rng, f"a{ending}", content, Expect.EITHER, f"spoiled {ending}")


def wrong(rng: random.Random) -> Case:
    """Make a file wrong in a way that must be refused."""
    instance = random_instance(rng, least=3, most=12)
    values = {key: np.asarray(value) for key, value in instance.arrays().items()}
    while True:
        what, edit = rng.choice([*_WRONG.items()])
        changed = edit(rng, dict(values))
        if changed is not None:
            break
    content = changed if isinstance(changed, bytes) else npz(changed)
    return use_problem(rng, "a.npz", content, Expect.FAIL, f"npz with {what}")


Edit = Callable[[random.Random, Values], Values | bytes | None]


def _numeric(values: Values) -> list[str]:
    return [key for key in ("locs", "depot", "demand", "capacity", "matrix") if key in values]


def _as(change: Callable[[Any], Any]) -> Edit:
    """Change the type of an array of numbers."""

    def edit(rng: random.Random, values: Values) -> Values:
        key = rng.choice(_numeric(values))
        return {**values, key: change(values[key])}

    return edit


def _odd_number(rng: random.Random, values: Values) -> Values:
    key = rng.choice(_numeric(values))
    changed = np.array(values[key], dtype=np.float64)
    bad = {"demand": [-1.0, 2.0**53, np.nan, np.inf, -np.inf, 1e308]}
    bad["capacity"] = [0.0, -1.0, 1.5, np.nan, np.inf, 2.0**53, 1e308, 0.5]
    place = (
        -2 if key == "matrix" and changed.size > 1 else -1
    )  # the diagonal of a matrix does not matter
    changed.flat[place] = rng.choice(bad.get(key, [np.nan, np.inf, -np.inf, 1e13, -1e308]))
    return {**values, key: changed}


def _missing(rng: random.Random, values: Values) -> Values | None:
    keys = [key for key in ("locs", "demand", "capacity") if key in values]
    if not keys or ("matrix" in values and keys == ["locs"]):
        return None
    del values[rng.choice(keys)]
    return values


def _too_much(rng: random.Random, values: Values) -> Values | None:
    count = sum(np.shape(values.get(key, ()))[:1] != () for key in values) and 3
    extra: list[Values] = [
        {"more": np.zeros(count)},
        {"capacity": 7} if "capacity" not in values else {"capacity": [[7, 8]]},
        {"matrix": np.zeros((2, 2) if "matrix" not in values else (2, 1))},
        {"matrix": np.zeros((3, 2)), "metric": "EXPLICIT"},
        {"depot": [0.5, 0.5]} if "demand" not in values else {"depot": [0.5]},
        {"metric": rng.choice(["", "EUC", "euc_2d", "NaN", "[EUC_2D]"])},
        {"metric": 5},
        {"metric": ["EUC_2D", "EUC_2D"]},
        {"name": rng.choice([name for name in BAD_NAMES if "\ud800" not in name])},
        {"locs": np.zeros((0, 2))},
        {"locs": np.zeros((3, 3))},
        {"locs": np.zeros(6)},
        {"locs": np.zeros((1, 2, 3, 2))},
        {"demand": np.zeros((2, 2))},
    ]
    return {**values, **rng.choice(extra)}


def _structured(values: Any) -> Any:
    return np.zeros(3, dtype=[("a", "f8"), ("b", "i4")])


def _pickled(rng: random.Random, values: Values) -> Values:
    return {**values, rng.choice(_numeric(values)): np.array([{}, []], dtype=object)}


def _member_twice(rng: random.Random, values: Values) -> bytes:
    stream = io.BytesIO(npz(values))
    with zipfile.ZipFile(stream, "a") as archive:
        name = rng.choice(archive.namelist())
        content = archive.read(name)
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            archive.writestr(name, content)
    return stream.getvalue()


def _header(shape: str, order: str = "<f8") -> bytes:
    text = f"{{'descr': '{order}', 'fortran_order': False, 'shape': {shape}, }}"
    padded = text.encode() + b" " * (63 - (len(text) + 10) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(padded)) + padded


def _claims(rng: random.Random, values: Values) -> bytes:
    """Claim a shape that is absurd, or that the data does not have."""
    shape = rng.choice(
        [
            "(1000000000, 2)",
            "(99999999999999999999, 2)",
            "(-1, 2)",
            "(4611686018427387904, 2)",
            "(3.5, 2)",
            "(True, 2)",
            "('a', 2)",
            "(3, 2",
            f"({'9' * 5000}, 2)",
            "((((((3,),),),),),2)",
        ]
    )
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("locs.npy", _header(shape) + bytes(48))
    return stream.getvalue()


def bomb(size: int) -> bytes:
    """Make a small archive of a huge array of zeros."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    head = _header(f"({size // 16}, 2)")
    zeros = bytes(1 << 20)
    packed, checksum = [packer.compress(head)], zlib.crc32(head)
    for _ in range(size >> 20):
        packed.append(packer.compress(zeros))
        checksum = zlib.crc32(zeros, checksum)
    packed.append(packer.flush())
    body, total = b"".join(packed), len(head) + (size >> 20 << 20)
    fields = (20, 0, 8, 0, 0, checksum, len(body), total, 8, 0)
    local = struct.pack("<4sHHHHHIIIHH", b"PK\x03\x04", *fields) + b"locs.npy"
    entry = struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\x01\x02", 20, *fields, 0, 0, 0, 0, 0)
    offset = len(local) + len(body)
    entry += b"locs.npy"
    end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, 1, 1, len(entry), offset, 0)
    return local + body + entry + end


_WRONG: dict[str, Edit] = {
    "complex numbers": _as(lambda a: np.asarray(a, dtype=np.complex128)),
    "dates": _as(lambda a: np.asarray(np.nan_to_num(a)).astype("i8").astype("M8[s]")),
    "time spans": _as(lambda a: np.asarray(a).astype("i8").astype("m8[s]")),
    "truth values": _as(lambda a: np.asarray(a).astype(bool)),
    "texts": _as(lambda a: np.asarray(a).astype(str)),
    "bytes": _as(lambda a: np.asarray(a).astype("S")),
    "records": _as(_structured),
    "pickled objects": _pickled,
    "odd numbers": _odd_number,
    "something missing": _missing,
    "something too much": _too_much,
    "a member twice": _member_twice,
    "an absurd header": _claims,
}


def odd(rng: random.Random) -> Case:
    """Make a file that is unusual, but right."""
    instance = random_instance(rng)
    name = rng.choice(NAMES)
    values = {k: np.asarray(v) for k, v in replace(instance, name=name).arrays().items()}
    changes: list[Callable[[Any], Any]] = [
        lambda a: a.astype(a.dtype.newbyteorder()),
        np.asfortranarray,
        lambda a: a.astype("f8"),
        lambda a: a,
    ]
    change = rng.choice(changes)
    for key in _numeric(values):
        values[key] = change(values[key])
    if rng.random() < 0.2:
        values = {k: v[None] if k in ("locs", "depot", "demand") else v for k, v in values.items()}
        if "matrix" in values:
            values = {key: np.asarray(value) for key, value in instance.arrays().items()}
    return use_problem(rng, "a.npz", npz(values), Expect.WORK, f"odd npz, name {name!r}")


_JSON_BAD: list[Any] = [
    "NaN", "Infinity", "1e999", "null", "true", '"1"', "[]", "{}", '{"a": 1}', "1" * 5000, "-1",
    "[[1, 2], [3]]", "[[[1, 2]]]", "[1, [2]]", '["a", "b"]', "[null, null]", "[true, false]",
    "[1e400, 1]", '[["1", "2"], ["3", "4"]]', "[[1, 2], [3, null]]", "[[" * 20, "2" * 400,
]  # fmt: skip


def json_wrong(rng: random.Random) -> Case:
    """Make a json file wrong in a way that must be refused."""
    instance = random_instance(rng, least=3, most=9)
    values = {key: json.dumps(value) for key, value in instance.arrays().items()}
    kind = rng.randrange(5)
    if kind == 0:
        depth = rng.choice([500, 5_000, 200_000])
        text, what = '{"locs": ' + "[" * depth + "]" * depth + "}", "deep nesting"
    elif kind == 1:
        key = rng.choice([*values])
        pairs = [*values.items(), (key, rng.choice([values[key], "5", "null"]))]
        text, what = _object(pairs), f"{key} twice"
    elif kind == 2:
        bad = rng.choice(BAD_NAMES)
        text, what = _object([*{**values, "name": json.dumps(bad)}.items()]), "a bad name"
    else:
        key = rng.choice(_numeric(values))
        # A lone -1, true or text is no array, and no capacity either.
        value = rng.choice(_JSON_BAD)
        text, what = _object([*{**values, key: value}.items()]), f"{key} = {value[:20]}"
    return use_problem(rng, "a.json", text.encode(), Expect.FAIL, f"json with {what}")


def _object(pairs: list[tuple[str, str]]) -> str:
    return "{" + ", ".join(f'"{key}": {value}' for key, value in pairs) + "}"


def csv(rng: random.Random) -> Case:
    """Read a csv file: right, wrong in known ways, or spoiled anyhow."""
    instance = replace(random_instance(rng, least=3, most=9), metric="EUCLIDEAN", matrix=None)
    if instance.coords is None:
        points = [(float(i), 1.0) for i in range(len(instance.demand or range(4)))]
        instance = replace(instance, coords=points)
    content = instance.text(".csv")
    options = () if instance.demand is None else ("--capacity", str(instance.capacity))
    kind = rng.randrange(4)
    if kind == 0:
        return use_problem(rng, "a.csv", content, Expect.WORK, "a csv file", *options)
    if kind == 1:
        content = spoil_text(rng, content)
        return use_problem(rng, "a.csv", content, Expect.EITHER, "spoiled csv", *options)
    if kind == 2:
        # Without demands, a capacity counts stops.
        other = ("--capacity", "0") if instance.demand is None else ()
        return use_problem(rng, "a.csv", content, Expect.FAIL, "csv, wrong capacity", *other)
    lines = content.split(b"\n")
    bad = rng.choice(["nan", "inf", "x", "", "1e13", "9" * 5000, "1,2,3,4", "1j", "\x00", "1e400"])
    lines[2] = lines[2].partition(b",")[0] + b"," + bad.encode() + b",1" * (len(options) // 2)
    what = f"csv with {bad[:10]}"
    return use_problem(rng, "a.csv", b"\n".join(lines), Expect.FAIL, what, *options)


def solution(rng: random.Random) -> Case:
    """Read a solution from npz or json: right, wrong in known ways, or spoiled anyhow."""
    instance = random_instance(rng, least=3, most=9)
    first = int(instance.demand is not None)
    nodes = [*range(first, instance.dimension)]
    values: Values = {"nodes": nodes, "cost": 1.5}
    if first:
        values["via_depot"] = [True] * len(nodes)
    ending = rng.choice([".npz", ".json"])
    expect, what = Expect.WORK, "a solution"
    if rng.random() < 0.6:
        expect, what = Expect.FAIL, "a wrong solution"
        values |= rng.choice(_wrong_solutions(values, bool(first)))
        if ending == ".json":
            values = json.loads(json.dumps(values, default=lambda a: a.tolist(), skipkeys=True))
    content = npz(values) if ending == ".npz" else json.dumps(values).encode()
    if rng.random() < 0.2:
        spoil = spoil_bytes if ending == ".npz" else spoil_text
        content, expect, what = spoil(rng, content), Expect.EITHER, f"spoiled {ending} solution"
    return use_solution(rng, instance, f"s{ending}", content, expect, what)


def _wrong_solutions(values: Values, is_cvrp: bool) -> list[Values]:
    nodes = values["nodes"]
    found: list[Values] = [
        {"nodes": bad}
        for bad in (nodes[:-1], [*nodes, nodes[0]], [*nodes[:-1], 99], [*nodes[:-1], -3], [nodes])
    ]
    found += [
        {"nodes": [*nodes[:-1], bad]}
        for bad in (1.5, float("nan"), 2**31, 2**62, "x", True, float("inf"))
    ]
    found += [{"nodes": [str(node) for node in nodes]}, {"nodes": []}, {"more": 1}, {"nodes": 5}]
    if is_cvrp:
        flags = ["yes", "2", 2, float("nan"), "True"]
        found += [{"via_depot": [flag] * len(nodes)} for flag in flags]
        found += [{"via_depot": [False] * len(nodes)}, {"via_depot": [True]}, {"via_depot": 1}]
    else:
        found += [{"via_depot": [True] * len(nodes)}]
    return found


def bombs(rng: random.Random) -> Case:
    """Read a small file that would become huge."""
    size = rng.choice([1 << 28, 1 << 30])

    def make(path: Path) -> None:
        path.write_bytes(bomb(size))

    argv = rng.choice([("info", "a.npz"), ("convert", "a.npz", "out.json")])
    # It must be told from its header, without ever having room for it.
    return Case(
        "npz bomb", Expect.FAIL, argv, files={"a.npz": make}, memory=(1 << 30) + (size >> 2)
    )


GENERATORS = [
    Generator("npz and json spoiled", spoiled, 3),
    Generator("npz wrong", wrong, 3),
    Generator("npz odd", odd, 1.5),
    Generator("json wrong", json_wrong, 2),
    Generator("csv", csv, 2),
    Generator("npz and json solutions", solution, 2),
    Generator("npz bombs", bombs, 0.05),
]
