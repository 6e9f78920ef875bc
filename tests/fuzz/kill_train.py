"""``sil train`` is killed again and again; in the end the result is the same."""

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sil.policy.weights import load
from sil.train.checkpoint import Checkpoint
from sil.train.log import read_log
from sil.train.pool import Pool
from tests.fuzz.victim import DECOYS, HANG, Tally, Victim, check_decoys, plant
from tests.train.runs import log_without_times, toml

# Larger than the run of the tests, so that kills hit every part of it.
_LARGER = (
    ("steps = 4", "steps = 60"),
    ("batch = 2\n", "batch = 8\n"),
    ("nodes = 24\ninstances = 6", "nodes = 50\ninstances = 60"),
    ("nodes = 40\ninstances = 4", "nodes = 80\ninstances = 30"),
    ("states = 160", "states = 3000"),
    ("states = 96", "states = 2000"),
    ("longest = 20", "longest = 40"),
    ("longest = 30", "longest = 60\nown = 0.5"),
    ("validation = 2", "validation = 6"),
)
# Saved often, so that kills also hit the saving and short-lived runs make progress.
_COMMAND = (
    "from sil.train import run_state; run_state._SECONDS_BETWEEN_SAVES = 0.2; "
    "from sil.cli import main; main()"
)
_KILLS_A_RUN = 12  # about
_PHASES = {
    r"warm-up": "warm-up",
    r"preparing": "preparing instances",
    r"first labels": "first labels",
    r"references": "references",
    r"improving labels": "improving labels",
    r"beginning and completing": "beginning and completing",
    r"episode \d+ epoch \d+": "training",
    r"validating": "validating",
}


def kill_train(kills: int, rng: np.random.Generator, folder: Path) -> Tally:
    """Kill runs until there were enough kills; each run ends like one that nobody disturbed."""
    tally = Tally()
    whole: dict[str, float] = {}
    number = 0
    while tally.kills < kills and not tally.failures:
        kind = ("TSP", "CVRP")[number % 2]
        config = folder / f"{kind}.toml"
        if kind not in whole:
            config.write_text(_larger_toml(kind))
            with _training(config, folder / kind) as victim:
                _begins(victim)
                began = time.monotonic()
                tally.require(victim.ends_well(), f"the undisturbed run: {victim.output}")
                whole[kind] = time.monotonic() - began
        run = folder / f"run-{number}"
        _killed_run(tally, kills, rng, config, run, whole[kind])
        tally.check(f"{run} ends otherwise", lambda a=run, b=folder / kind: _is_same(a, b))
        number += 1
    return tally


def _larger_toml(kind: str) -> str:
    text = toml(kind)
    for small, large in _LARGER:
        assert small in text
        text = text.replace(small, large)
    return text


def _killed_run(
    tally: Tally,
    kills: int,
    rng: np.random.Generator,
    config: Path,
    run: Path,
    whole: float,
) -> None:
    rows = 0
    while True:
        with _training(config, run) as victim:
            if tally.kills == kills:
                runs = victim.runs_for(HANG)
            elif rng.random() < 0.1:  # when it takes its folder and its checkpoint
                runs = victim.runs_until(lambda v=victim: bool(v.said))
                runs = runs and victim.runs_for(rng.uniform(0, 2))
            else:  # at any time of the run alike
                runs = _begins(victim) and victim.runs_for(rng.exponential(whole / _KILLS_A_RUN))
            victim.kill()
        if not runs:
            tally.completed += 1
            tally.require(victim.process.returncode == 0, f"{run}: {victim.output[-2000:]}")
            return
        tally.kills += 1
        tally.phases[_phase(victim.said)] += 1
        rows = _checked(tally, run, rows)
        if tally.failures:
            return
        if (run / "config.json").exists() and not (run / DECOYS[0]).exists():
            plant(run)
            plant(run / "stage-1")


def _training(config: Path, run: Path) -> Victim:
    options = ["train", str(config), "--threads", "1", "--out", str(run)]
    return Victim(["-c", _COMMAND, *options], config.with_suffix(".log"), terminal=True)


def _begins(victim: Victim) -> bool:
    """Wait until it says what it does; whether it still runs then."""
    return victim.runs_until(lambda: _phase(victim.said) != "starting")


def _phase(said: str) -> str:
    """Tell what a run says on its terminal that it does."""
    last = [(m.start(), name) for mark, name in _PHASES.items() for m in re.finditer(mark, said)]
    return max(last, default=(0, "starting"))[1]


def _checked(tally: Tally, run: Path, rows: int) -> int:
    """See that all files are whole; return the number of rows of the log."""
    for path, reader in _files(run):
        tally.check(f"{path} is damaged", lambda path=path, reader=reader: reader(path) is not None)
    if (run / DECOYS[0]).exists() or (run / "stage-1" / DECOYS[0]).exists():
        check_decoys(tally, run)
        check_decoys(tally, run / "stage-1")
    found = len(read_log(run)) if (run / "log.csv").exists() else 0
    tally.require(found >= rows, f"{run}: the log had {rows} rows, now {found}")
    return found


def _files(run: Path) -> Iterator[tuple[Path, Any]]:
    """Find the files of a run, each with what reads it."""
    readers = {
        "config.json": lambda path: json.loads(path.read_text()),
        "log.csv": lambda path: read_log(path.parent),
        "checkpoint.pt": Checkpoint.load,
        "epoch.pt": Checkpoint.load,
        "best.safetensors": load,
        "stage-1/labels": Pool,
        "stage-1/reference": Pool,
        "stage-1/begun": Pool,
        "stage-2/labels": Pool,
        "stage-2/reference": Pool,
        "stage-2/begun": Pool,
    }
    for name, reader in readers.items():
        if (run / name).exists():
            yield run / name, reader


def _is_same(run: Path, undisturbed: Path) -> bool:
    """Whether both runs ended alike, and this one left no scratch behind."""
    scratch = {path.name for path in run.glob(".sil-scratch*")} - set(DECOYS)
    best = [(each / "best.safetensors").read_bytes() for each in (run, undisturbed)]
    logs = [log_without_times(each) for each in (run, undisturbed)]
    return best[0] == best[1] and logs[0] == logs[1] and not scratch
