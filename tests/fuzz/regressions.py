"""Cases that once went wrong, one for each cause; they run with the sample in the tests."""

import random
import signal
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tests.fuzz import files_arrays
from tests.fuzz.case import Case, Ended, Expect, Maker, Stream, WrongError
from tests.fuzz.problems import Instance, npz
from tests.fuzz.uses import solved
from tests.train.runs import toml

_TSP = Instance([(float(i * i % 7), float(i)) for i in range(12)], name="t")
_CVRP = Instance(_TSP.coords, [0] + [3] * 11, 9, name="c")
_FAIL, _WORK = Expect.FAIL, Expect.WORK


@dataclass(frozen=True)
class Regression:
    """A case that is kept under a name."""

    name: str
    case: Case
    torch: bool = False

    def draw(self, rng: random.Random) -> Case:
        """Give the case, always the same."""
        del rng
        return self.case


def _file(name: str, content: bytes | Maker, expect: Expect, *argv: str) -> Case:
    return Case(name, expect, argv or ("info", name), files={name: content})


def _solution(content: str, expect: Expect) -> Case:
    files = {"p.vrp": _CVRP.text(".vrp"), "s.sol": content.encode()}
    return Case("a .sol file", expect, ("check", "p.vrp", "s.sol"), files=files)


def _tsplib(edit: Callable[[list[str]], list[str]], expect: Expect) -> Case:
    return _file("a.tsp", ("\n".join(edit(_TSP.lines())) + "\n").encode(), expect)


def _solve(expect: Expect, *options: str, **more: Any) -> Case:
    argv = ("solve", "p.npz", "--rounds", "1", "--threads", "1", *options)
    files = {"p.npz": _CVRP.text(".npz"), **more.pop("files", {})}
    return Case(" ".join(options), expect, argv, files=files, **more)


def _generated(out: str) -> Case:
    def check(folder: Path, ended: Ended) -> str | None:
        content = (folder / "work" / out).read_bytes() if (folder / "work" / out).exists() else b""
        return None if content.startswith(b"PK") else f"{out} has {len(content)} bytes"

    argv = ("generate", "tsp", "--size", "9", "--out", out)
    return Case(out, _WORK, argv, writes=("out",), check=check)


def _train(expect: Expect, files: dict[str, bytes]) -> Case:
    argv = ("train", "a.toml", "--out", "run", "--max-runtime", "0.2", "--threads", "1")
    return Case("train", expect, argv, files={"a.toml": toml().encode(), **files})


def _config(before: str, after: str) -> Case:
    return _train(_FAIL, {"a.toml": toml().replace(before, after).encode()})


def _overloaded() -> None:
    import sil

    most = 2**53 - 1
    demand = [0] + [most] * 1025
    problem = sil.Problem(np.zeros((1026, 2)), demand, most)
    one_route = sil.Solution(np.arange(1, 1026), [True] + [False] * 1024)
    if not one_route.check(problem):
        raise WrongError("the check accepts an overload")


def _doubles(problem: Any) -> Any:
    import sil

    count = problem.num_nodes
    flags = None if problem.kind == "TSP" else [True] + [False] * (count - 1)
    return sil.Solution([5] * count, flags)


def _out_of_range(problem: Any) -> Any:
    import sil

    return sil.Solution(np.arange(problem.num_nodes) + 100_000)


def _solving(make: Callable[[Any], Any], as_start: bool, is_cvrp: bool = False) -> Case:
    class Bad:
        name = "bad"

        def improve(self, problem: Any, solution: Any, this: Any) -> Any:
            return make(problem)

    def call() -> None:
        import sil

        problem = sil.generate_cvrp(200, 1) if is_cvrp else sil.generate_tsp(200, 1)
        start = (lambda problem, seed, interrupt: make(problem)) if as_start else None
        reconstructors = [*([] if as_start else [Bad()]), sil.SearchReconstructor()]
        stop = sil.MaxIterations(5)
        sil.solve(problem, stop, start=start, reconstructors=reconstructors, threads=1)

    return Case("rubbish of the caller's own", _FAIL, call=call)


def _crowded() -> Case:
    """Ask for more threads than there is room for."""
    points = np.random.default_rng(1).random((3000, 2))
    files = {"p.npz": npz({"locs": points})}
    argv = ("solve", "p.npz", "--rounds", "2", "--threads", "1024", "--method", "policy")
    return Case("1024 threads", Expect.EITHER, argv, files=files, memory=800 << 20)


def _mismatch() -> None:
    import sil
    from sil.policy.weights import pretrained, save

    save(Path("w.safetensors"), *pretrained("TSP"))
    sil.NativePolicy.load(sil.generate_cvrp(9), Path("w.safetensors"))
    raise WrongError("a policy of the other problem was loaded")


def _max_iterations() -> None:
    import sil

    sil.MaxIterations(float("nan"))


_DAEMON = """
import threading, time
import sil
problem = sil.generate_cvrp(5000, 1)
def work():
    sil.solve(problem, sil.MaxRuntime(20), threads=2)
threading.Thread(target=work, daemon=True).start()
time.sleep(2.5)
"""
_STRANGE = npz({"locs": np.zeros((3, 2)), "capacity": 5})
_RESULTS = "data/best_known.csv"
_LIBRARY = ("bench", "library", "--data", "data", "--scale", "smoke", "--no-peers", "--out", "b")


def _library(name: str) -> Case:
    files = {"data/a.tsp": replace(_TSP, name=name).text(".tsp")}
    files[_RESULTS] = b"instance,best_known\na,10\n"
    argv = (*_LIBRARY, "--threads", "1")
    return Case(f"library {name!r}", _WORK, argv, files=files, writes=("b",), seconds=120)


def _stream(stderr: Stream, stdout: Stream = Stream.FILE) -> Case:
    return _solve(
        _WORK,
        "--out",
        "out.json",
        stderr=stderr,
        stdout=stdout,
        writes=("out.json",),
        check=solved(_CVRP, "out.json"),
        process=True,
    )


REGRESSIONS = [
    Regression(
        "train keeps the files of others", _train(_FAIL, {"run/.git-credentials": b"x"}), True
    ),
    Regression(
        "train refuses a folder that is no run", _train(_FAIL, {"run/thesis.tex": b"x"}), True
    ),
    Regression("an ending in upper case", _generated("out.NPZ")),
    Regression("an overload beyond 64 bits", Case("overload", _FAIL, call=_overloaded)),
    Regression("a start with doubles", _solving(_doubles, True)),
    Regression("a start out of range", _solving(_out_of_range, True)),
    Regression("a start that is none", _solving(lambda problem: None, True)),
    Regression("a start with doubles, CVRP", _solving(_doubles, True, True)),
    Regression("a reconstructor with doubles", _solving(_doubles, False)),
    Regression("a reconstructor out of range", _solving(_out_of_range, False)),
    Regression("threads that cannot start", _crowded()),
    Regression("a daemon thread at the end", Case("daemon", _WORK, script=_DAEMON, seconds=30)),
    Regression("a benchmark of ../", _library("../../up")),
    Regression("a benchmark of [/]", _library("[/]")),
    Regression("a benchmark of $\\foo$", _library("$\\foo$")),
    Regression(
        "a newline in a name",
        _file("a.json", b'{"locs": [[0, 1], [1, 1]], "name": "a\\nb"}', _FAIL),
    ),
    Regression(
        "an escape in a name",
        _file("a.json", b'{"locs": [[0, 1], [1, 1]], "name": "\\u001b[1m"}', _FAIL),
    ),
    Regression(
        "a surrogate in a name",
        _file("a.json", b'{"locs": [[0, 1], [1, 1]], "name": "\\ud800"}', _FAIL),
    ),
    Regression("stderr closed", _stream(Stream.CLOSED)),
    Regression("stderr broken", _stream(Stream.BROKEN)),
    Regression("stderr full", _stream(Stream.FULL)),
    Regression("out is a folder", _solve(_FAIL, "--out", "d.sol", files={"d.sol/x": b""})),
    Regression(
        "a signal",
        _solve(
            _WORK,
            "--rounds",
            "1000000",
            "--out",
            "out.json",
            writes=("out.json",),
            signals=((0.3, signal.SIGTERM),),
            check=solved(_CVRP, "out.json"),
        ),
    ),
    Regression(
        "an npz bomb",
        _file("a.npz", lambda path: path.write_bytes(files_arrays.bomb(1 << 30)), _FAIL),
    ),
    Regression(
        "an absurd dimension",
        _tsplib(
            lambda lines: [
                line.replace("DIMENSION : 12", "DIMENSION : 1000000000000000") for line in lines
            ],
            _FAIL,
        ),
    ),
    Regression(
        "a number of 5,000 digits", _file("a.json", b'{"locs": [[0, ' + b"1" * 5000 + b"]]}", _FAIL)
    ),
    Regression(
        "deep nesting",
        _file("a.json", b'{"locs": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", _FAIL),
    ),
    Regression("no number of rounds", Case("MaxIterations(nan)", _FAIL, call=_max_iterations)),
    Regression("capacity without demand", _file("a.npz", _STRANGE, _FAIL)),
    Regression(
        "depot beside matrix",
        _file(
            "a.npz",
            npz({"matrix": np.ones((3, 3)), "metric": "EXPLICIT", "depot": [0.0, 0.0]}),
            _FAIL,
        ),
    ),
    Regression(
        "three coordinates",
        _tsplib(lambda lines: ["NODE_COORD_TYPE : THREED_COORDS", *lines], _FAIL),
    ),
    Regression(
        "a key twice", _file("a.json", b'{"locs": [[0, 1]], "locs": [[0, 1], [1, 1]]}', _FAIL)
    ),
    Regression("complex numbers", _file("a.npz", npz({"locs": np.ones((3, 2)) * 1j}), _FAIL)),
    Regression("dates", _file("a.npz", npz({"locs": np.ones((3, 2)).astype("M8[s]")}), _FAIL)),
    Regression("truth values", _file("a.npz", npz({"locs": np.eye(3, 2) > 0}), _FAIL)),
    Regression("texts", _file("a.npz", npz({"locs": np.eye(3, 2).astype(str)}), _FAIL)),
    Regression("text behind a second colon", _solution("Route #1: 1 2 3 : 4\nCost 1\n", _FAIL)),
    Regression(
        "an empty log", Case("log", _FAIL, ("train", "--report", "run"), files={"run/log.csv": b""})
    ),
    Regression(
        "a log that is text",
        Case("log", _FAIL, ("train", "--report", "run"), files={"run/log.csv": b"a\nb\n"}),
    ),
    Regression("a seed below 0", _config("seed = 3", "seed = -1"), True),
    Regression(
        "EOF as a name", _tsplib(lambda lines: ["NAME : EOF", "COMMENT : EOF", *lines[1:]], _WORK)
    ),
    Regression(
        "a section as a comment", _tsplib(lambda lines: ["COMMENT : X_SECTION", *lines], _WORK)
    ),
    Regression("too many threads", _solve(_FAIL, "--threads", str(2**31))),
    Regression(
        "too many nodes",
        Case("size", _FAIL, ("generate", "tsp", "--size", str(10**15), "--out", "out.npz")),
    ),
    Regression(
        "a set into a file",
        Case("set", _FAIL, ("generate", "cvrp1k", "--out", "notes"), files={"notes": b"mine"}),
    ),
    Regression(
        "decimal degrees",
        _file("a.tsp", Instance([(51.75, 4.5), (52.1, 4.9)], metric="GEO").text(".tsp"), _FAIL),
    ),
    Regression(
        "weights of the other problem", Case("mismatch", _FAIL, call=_mismatch, writes=("w.",))
    ),
]
