"""Options of every command: values of the wrong kind, extremes, odd paths, combinations."""

import random
from functools import cache
from pathlib import Path

from tests.fuzz.case import Case, Expect, Generator, Maker
from tests.fuzz.mutate import NUMBERS
from tests.fuzz.problems import Instance
from tests.train.runs import toml

_TSP = Instance([(float(i * i % 7), float(i)) for i in range(12)], name="t")
_CVRP = Instance(_TSP.coords, [0] + [3] * 11, 9, name="c")
_SOL = "".join(f"Route #{i}: {i}\n" for i in range(1, 12)) + "Cost 1\n"
_LONG = "out" + "x" * 300
_VALUES = [
    *(n for n in NUMBERS if len(n) < 200),
    *("2147483648", "9223372036854775808", "-9223372036854775809", "x", "", " ", "é", "x" * 5000),
    *("--", "-", "--help", "\udcff", "[red]", "a=b", "\x1b[31m", "a\nb"),
]
_TARGETS = [
    "",
    ".",
    "..",
    "folder",
    "folder.npz",
    "folder.json",
    "missing/out.npz",
    "missing/out.json",
    "/proc/out.json",
    "/dev/full",
    "/dev/null",
    f"{_LONG}.json",
    "out.NPZ",
    "out.Json",
    "out.SOL",
    "out é.json",
    "out\udcff.json",
    "out$HOME.npz",
    "out",
    "out.",
    "out.x",
    "out.npz/",
    "notes.txt/out.npz",
    "out.tour",
    "out.sol",
    "out.tsp",
    "out.vrp",
    "out.geojson",
    "out.csv",
    "out.png",
    "out.PDF",
    "out.svg",
    "out.jpg",
    "out.npz.json",
    "out[red].json",
    "out\x1b[31m.json",
    "out\n.json",
    "loop.json",
]
_SOURCES = [
    "",
    ".",
    "folder",
    "folder.npz",
    "missing.npz",
    "/dev/null",
    "null.json",
    f"{_LONG}.npz",
    "/proc/self/mem",
    "notes.txt",
    "loop.json",
    "a.npz",
    "t.tsp",
    "c.vrp",
    "s.sol",
    "a.toml",
    "b",
    "\udcff.tsp",
    "a.npz/",
    "none.tsp",
]
_PATHS = {"--out", "--plot", "--report"}
_COUNTS = ["0", "-1", "1.5", "nan", "inf", "x", "", "2147483648", "9223372036854775808", "9" * 5000]


def _folder(path: Path) -> None:
    path.mkdir()


def _link(target: str) -> Maker:
    return lambda path: path.symlink_to(target)


_FILES: dict[str, bytes | Maker] = {
    "a.npz": _CVRP.text(".npz"),
    "t.tsp": _TSP.text(".tsp"),
    "c.vrp": _CVRP.text(".vrp"),
    "s.sol": _SOL.encode(),
    "a.toml": toml("TSP", "insertion").encode(),
    "folder": _folder,
    "folder.npz": _folder,
    "folder.json": _folder,
    "loop.json": _link("loop.json"),
    "null.json": _link("/dev/null"),
    "none.tsp": b"",
}
_BASES: dict[str, list[str]] = {
    "solve": ["a.npz", "--rounds", "1", "--max-runtime", "1", "--threads", "1"],
    "check": ["a.npz", "s.sol"],
    "generate": ["cvrp", "--size", "9", "--out", "out.npz"],
    "convert": ["a.npz", "out.json"],
    "info": ["a.npz"],
    "train": ["a.toml", "--out", "out", "--max-runtime", "0.1", "--threads", "1"],
}


@cache
def _options_of(command: str) -> list[tuple[str, bool]]:
    """List the options of a command, and whether each takes a value."""
    import typer

    from sil.cli import app

    found = typer.main.get_command(app).commands[command].params  # type: ignore[attr-defined]
    return [
        (name, not getattr(each, "is_flag", False))
        for each in found
        for name in [*each.opts, *each.secondary_opts]
        if name.startswith("--")
    ]


def _any(rng: random.Random, command: str) -> Case:
    """Give a command one or a few odd values."""
    argv = list(_BASES[command])
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        if rng.random() < 0.25:  # in the place of a positional argument
            place = rng.randrange(1 + (command in ("check", "convert")))
            is_target = command == "convert" and place == 1  # which may be written over
            argv[place] = rng.choice(_TARGETS if is_target else _SOURCES + _TARGETS + _VALUES)
            continue
        option, takes_value = rng.choice(_options_of(command))
        argv.append(option)
        if takes_value and rng.random() < 0.95:
            argv.append(rng.choice(_TARGETS if option in _PATHS else _VALUES + _SOURCES))
    return Case(
        f"odd options of {command}",
        Expect.EITHER,
        (command, *argv),
        files=_FILES,
        # A folder of the user's may get a file, but nothing else may be touched.
        writes=("out", "folder/"),
    )


def odd(rng: random.Random) -> Case:
    """Give a command odd values."""
    return _any(
        rng, rng.choice(["solve", "solve", "solve", "check", "generate", "convert", "info"])
    )


def odd_training(rng: random.Random) -> Case:
    """Give the training odd values."""
    return _any(rng, "train")


_WRONG: dict[str, dict[str, list[str]]] = {
    "solve": {
        "--threads": [*_COUNTS, "1025"],
        "--rounds": [n for n in _COUNTS if n not in ("0", "2147483648", "9223372036854775808")],
        "--max-runtime": ["-1", "nan", "x", "", "-inf", "-0.1"],
        "--no-improvement": ["0", "-1", "1.5", "nan", "x", ""],
        "--seed": ["-1", "1.5", "nan", "x", ""],
        "--l-max": ["0", "3", "-1", "nan", "x"],
        "--start": ["", "x", "greedy", "missing.sol", "folder", "t.tsp", "s.npz"],
        "--method": ["", "x", "SEARCH", "1"],
        "--weights": ["", "missing.safetensors", "folder", "a.npz", "t.tsp"],
        "--out": ["out.tour", "missing/out.sol", "folder.npz", "/proc/out.sol", "out.x", "out", ""],
        "--plot": ["out.x", "missing/out.png", "folder.npz", "out", "", "/proc/out.png"],
        "--index": ["1", "-1", "1.5", "x"],
        "--capacity": ["5", "x"],
    },
    "generate": {
        "--size": [*_COUNTS, "1" + "0" * 15],
        "--seed": ["-1", "1.5", "nan", "x", ""],
        "--capacity": [*_COUNTS[:7], "9007199254740993"],
        "--distribution": ["x", "", "1", "UNIFORM"],
        "--out": ["out.tsp", "out.x", "out", "", "missing/out.npz", "folder.npz", "/proc/out.npz"],
    },
    "convert": {
        "--scale": ["nan", "inf", "-inf", "x", "1e300", ""],
        "--metric": ["x", "", "EXPLICIT", "euc"],
        "--problem": ["", "missing.npz", "folder", "t.tsp"],
        "--index": ["1", "-1", "x"],
        "--capacity": ["5"],
    },
    "info": {"--index": ["1", "-1", "x"], "--capacity": ["5", "x"]},
    "check": {"--index": ["1", "-1", "x"], "--capacity": ["5", "x"]},
}
_WRONG_BENCH: dict[str, list[str]] = {
    "--threads": [*_COUNTS, "1025"],
    "--memory": ["0", "-1", "nan", "x", ""],
    "--scale": ["x", "", "SMOKE"],
    "--data": ["missing", "a.npz", "folder", ""],
    "--weights": ["missing.safetensors", "folder", "a.npz"],
    "--out": ["notes.txt", "notes.txt/b", "/proc/b"],
}
_SUITES = ["uniform", "capacity", "library", "scaling", "memory", "cross-size"]


def wrong(rng: random.Random) -> Case:
    """Give a command a value that must be refused."""
    command = rng.choice(
        ["solve", "solve", "solve", "generate", "generate", "convert", "info", "check"]
    )
    option = rng.choice([*_WRONG[command]])
    value = rng.choice(_WRONG[command][option])
    return Case(
        f"{command} {option} {value[:30]!r}",
        Expect.FAIL,
        (command, *_BASES[command], option, value),
        files=_FILES,
    )


def wrong_bench(rng: random.Random) -> Case:
    """Give a benchmark a value that must be refused."""
    option = rng.choice([*_WRONG_BENCH])
    value = rng.choice(_WRONG_BENCH[option])
    # A smoke run is over in seconds, should it begin.
    argv = ("bench", rng.choice(_SUITES), "--no-peers", "--scale", "smoke", "--out", "out")
    return Case(f"bench {option} {value[:30]!r}", Expect.FAIL, (*argv, option, value), files=_FILES)


def wrong_training(rng: random.Random) -> Case:
    """Give the training a value that must be refused."""
    table = {
        "--threads": [*_COUNTS, "1025"],
        "--max-runtime": ["-1", "nan", "x", ""],
        "--out": ["notes.txt", "notes.txt/run", "/proc/run"],
        "--report": ["missing", "folder", "notes.txt"],
    }
    option = rng.choice([*table])
    value = rng.choice(table[option])
    argv = ("train", *_BASES["train"], option, value)
    return Case(f"train {option} {value[:30]!r}", Expect.FAIL, argv, files=_FILES)


GENERATORS = [
    Generator("options odd", odd, 4),
    Generator("options wrong", wrong, 3),
    Generator("options of bench", wrong_bench, 0.7),
    Generator("options of train", odd_training, 0.7, torch=True),
    Generator("options of train wrong", wrong_training, 0.5, torch=True),
]
