"""``sil train`` is killed again and again: at its end it is as if nothing had happened."""

import csv
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

_TOML = """
seed = 5
begin = "warm-up"

[policy]
problem = "{kind}"
dim = 16
layers = 1
heads = 2
feed_forward = 32
candidates = 8
frame = "step"

[warm_up]
steps = 60
nodes = 10
batch = 8
starts = 6
rate = 1e-3

[optimiser]
batch = 32
schedule = "cosine"
average = 0.9

[[stages]]
nodes = 50
instances = 60
episodes = 2
epochs = 2
states = 3000
improve = {{ policy = 6, search = 1 }}
rate = 3e-3
longest = 40
validation = 6
own = 0.5

[[stages]]
nodes = 80
instances = 30
episodes = 1
epochs = 1
states = 2000
improve = {{ policy = 4 }}
rate = 1e-3
longest = 60
validation = 6
own = 0.5
"""
# Saved often, so that kills hit the saving, too, and a run that lives a second gets on.
_COMMAND = (
    "import sil.train.loop as loop; loop._SECONDS_BETWEEN_SAVES = 0.2; "
    "from sil.cli import main; main()"
)
_KILLS_A_RUN = 12  # about
_PHASES = {
    r"warm-up": "warm-up",
    r"instances of": "drawing instances",
    r"first labels": "first labels",
    r"references": "references",
    r"improving labels": "improving labels",
    r"beginning and completing": "beginning and completing",
    r"episode \d+ epoch \d+": "training",
    r"validating": "validating",
}
_TIMES = ("seconds", "states_per_second")


def kill_train(kills: int, rng: np.random.Generator, folder: Path) -> Tally:
    """Kill runs until there were enough kills; each run ends like one that nobody disturbed."""
    tally = Tally()
    whole: dict[str, float] = {}
    number = 0
    while tally.kills < kills and not tally.failures:
        kind = ("TSP", "CVRP")[number % 2]
        config = folder / f"{kind}.toml"
        if kind not in whole:
            config.write_text(_TOML.format(kind=kind))
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
    return best[0] == best[1] and _log(run) == _log(undisturbed) and not scratch


def _log(run: Path) -> list[dict[str, str]]:
    with (run / "log.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return [{name: row[name] for name in row if name not in _TIMES} for row in rows]
