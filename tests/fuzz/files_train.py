"""Training: configurations, folders of runs and their logs."""

import random
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from tests.fuzz.case import Case, Ended, Expect, Generator
from tests.fuzz.mutate import spoil_bytes, spoil_text
from tests.train.runs import toml

_LOG = """stage,nodes,episode,epoch,steps,seconds,states_per_second,loss,accuracy,label_gap,\
greedy_gap,prc_gap,best,rollbacks
1,24,0,0,0,0.1,0,nan,nan,5.2,30.1,9.4,1,0
1,24,1,1,5,0.4,900,1.2,0.5,4.1,22.7,7.9,1,0
"""
_BAD = {
    "seed": ["-1", "1.5", '"1"', "true", "nan", "inf", "9223372036854775808", "1" + "0" * 5000],
    "begin": ['"x"', "1", '""'],
    "dim": ["0", "-16", "17", "16.0", '"16"', "true", "10000000000", "nan"],
    "layers": ["0", "-1", "1.0", "10000000000"],
    "heads": ["0", "3", "-2"],
    "feed_forward": ["0", "33", "inf"],
    "candidates": ["0", "-1", "1.5"],
    "frame": ['"x"', "1"],
    "steps": ["0", "-1", "1.5", "nan"],
    "nodes": ["0", "3", "-5", "nan", "1.5", "10000000000000000"],
    "instances": ["0", "-1", "1.5", "inf"],
    "episodes": ["0", "-1"],
    "epochs": ["0", "-1", "[]"],
    "states": ["0", "-1", "nan"],
    "improve": ["{ policy = 0 }", "{ x = 1 }", "[1]", "3", "{ policy = 1.5 }", "{ policy = nan }"],
    "rate": ["0", "-1.0", "nan", "inf", "-inf", '"1"', "true"],
    "longest": ["0", "3", "-1", "1.5"],
    "validation": ["0", "-1", "1.5"],
    "own": ["-0.1", "1.1", "nan", "inf", "true"],
    "batch": ["0", "-1", "1.5"],
    "schedule": ['"x"', "1"],
    "average": ["1", "-0.1", "nan", "2.5"],
    "more": ["1"],
}


def _run(config: bytes, expect: Expect, what: str, *options: str, **more: object) -> Case:
    argv = ("train", "a.toml", "--out", "run", "--threads", "1", "--max-runtime", "0.2", *options)
    files = {"a.toml": config, **more}
    return Case(what, expect, argv, files=files, writes=("run",))  # type: ignore[arg-type]


def _small(rng: random.Random) -> str:
    return toml(rng.choice(["TSP", "CVRP"]), rng.choice(["warm-up", "insertion"]))


def config(rng: random.Random) -> Case:
    """Train by a configuration that is right, wrong in a known way, or spoiled anyhow."""
    text = _small(rng)
    kind = rng.randrange(5)
    if kind == 0:
        return _run(text.encode(), Expect.WORK, "a configuration")
    if kind in (1, 2):
        content = spoil_text(rng, text.encode())
        return _run(content, Expect.EITHER, "spoiled configuration")
    key = rng.choice([*_BAD])
    value = rng.choice(_BAD[key])
    changed = re.sub(rf"^{key} = .*$", f"{key} = {value}", text, count=1, flags=re.MULTILINE)
    if changed == text:
        changed = f"{key} = {value}\n{text}"  # unknown there, or twice
    return _run(changed.encode(), Expect.FAIL, f"configuration with {key} = {value[:20]}")


def report(rng: random.Random) -> Case:
    """Draw the log of a run: right, empty, spoiled, or text."""
    content = _LOG.encode()
    expect, what = Expect.WORK, "a log"
    kind = rng.randrange(4)
    if kind == 0:
        content = rng.choice(
            [b"", _LOG.encode().split(b"\n")[0] + b"\n", b"just text\n", b"\xff\n"]
        )
        expect, what = Expect.FAIL, f"log {content[:9]!r}"
    elif kind == 1:
        content = content.replace(b"22.7", rng.choice([b"x", b"", b"1e999x", b"None"]))
        expect, what = Expect.FAIL, "log with no number"
    elif kind == 2:
        content, expect, what = spoil_text(rng, content), Expect.EITHER, "spoiled log"
    name = rng.choice(["run", "$\\foo$", "a[b]", "é", "$x^$", "run_1", "{x}"])
    argv = ("train", "--report", name)
    files = {f"{name}/log.csv": content}
    if rng.random() < 0.3:
        argv = ("bench", "training", name, "--out", "bench")
    return Case(what, expect, argv, files=files, writes=(f"{name}/progress.png", "bench"))


def folder(rng: random.Random) -> Case:
    """Train into a folder that holds other things, which must be refused and stay as they are."""
    theirs: dict[str, bytes] = {
        "run/.git-credentials": b"secret",
        "run/.pre-commit-config.yaml": b"x",
        "run/.cache-x/a": b"x",
        "run/stage-1/.note-1": b"x",
        "run/thesis.tex": b"x",
        "run/checkpoint.pt": b"not ours",
        "run/log.csv": b"my log\n",
        "run/config.json": b"{}",
    }
    some = rng.sample([*theirs], rng.randint(1, 3))
    files = {name: theirs[name] for name in some}
    case = _run(_small(rng).encode(), Expect.FAIL, f"a folder of another's: {some}", **files)
    return Case(case.what, case.expect, case.argv, files=case.files)


@cache
def _whole_run() -> dict[str, bytes]:
    """Train a little, in a process of its own, and keep what it wrote."""
    import subprocess
    import sys
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        config = Path(name) / "a.toml"
        config.write_text(toml("TSP", "insertion"))
        command = [sys.executable, "-m", "sil", "train", "a.toml", "--out", "run"]
        subprocess.run(
            [*command, "--max-runtime", "2.5"], cwd=name, check=False, capture_output=True
        )
        return {
            str(path.relative_to(name)): path.read_bytes()
            for path in (Path(name) / "run").rglob("*")
            if path.is_file()
        }


def resumed(rng: random.Random) -> Case:
    """Go on with a run of which a file was spoiled."""
    kept = _whole_run()
    files: dict[str, bytes | Callable[[Path], None]] = {**kept}
    text = toml("TSP", "insertion").encode()
    if rng.random() < 0.2:
        files["run/.git-credentials"] = b"secret"
        files["run/stage-1/.my-notes"] = b"mine"
        case = _run(text, Expect.WORK, "go on with a run", **files)
        return Case(case.what, case.expect, case.argv, files=case.files, writes=("run",),
                    check=_kept)  # fmt: skip
    which = rng.choice(sorted(kept))
    files[which] = spoil_bytes(rng, kept[which])
    if rng.random() < 0.2:
        del files[which]
    return _run(text, Expect.EITHER, f"go on with a spoiled {which}", **files)


def _kept(folder: Path, ended: Ended) -> str | None:
    del ended
    for name in ("run/.git-credentials", "run/stage-1/.my-notes"):
        if not (folder / "work" / name).is_file():
            return f"deleted {name}"
    return None


GENERATORS = [
    Generator("training configs", config, 2.5, torch=True),
    Generator("training logs", report, 1),
    Generator("training folders", folder, 0.7, torch=True),
    Generator("training resumed", resumed, 1, torch=True),
]
