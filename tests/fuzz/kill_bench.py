"""``sil bench`` is killed again and again: no row is lost, and what is missing is done."""

import time
from pathlib import Path

import numpy as np

from sil import io
from sil.bench.results import Results
from sil.bench.row import Key, Status
from tests.fuzz.victim import HANG, Tally, Victim, check_decoys, is_locked, plant

_KILLS_A_RUN = 8  # about


def kill_bench(kills: int, rng: np.random.Generator, folder: Path) -> Tally:
    """Kill benchmarks until there were enough kills; each has the same rows in the end."""
    tally = Tally()
    with _measuring(folder / "undisturbed") as victim:
        victim.runs_until(lambda: is_locked(folder / "undisturbed"))
        began = time.monotonic()
        tally.require(victim.ends_well(), f"the undisturbed one: {victim.output}")
        whole = time.monotonic() - began
    expected = {row.key for row in Results(folder / "undisturbed").rows}
    number = 0
    while tally.kills < kills and not tally.failures:
        out = folder / f"out-{number}"
        out.mkdir()
        plant(out)
        before: set[Key] = set()
        while _is_killed(tally, kills, rng, out, whole):
            found = _checked(tally, out, before)
            tally.phases[f"{len(found):2d} of {len(expected)} rows"] += 1
            before |= found
        found = _checked(tally, out, before)
        tally.require(found == expected, f"{out}: other rows: {found ^ expected}")
        tally.check(f"{out}: no report", (out / "report.md").is_file)
        number += 1
    return tally


def _measuring(out: Path) -> Victim:
    options = ["--scale", "smoke", "--no-peers", "--threads", "1", "--out", str(out)]
    command = ["-m", "sil", "bench", "uniform", *options]
    return Victim(command, out.with_suffix(".log"))


def _is_killed(tally: Tally, kills: int, rng: np.random.Generator, out: Path, whole: float) -> bool:
    with _measuring(out) as victim:
        runs = victim.runs_until(lambda: is_locked(out))
        if runs and tally.kills < kills:
            runs = victim.runs_for(rng.exponential(whole / _KILLS_A_RUN))
            victim.kill()
        elif runs:
            runs = victim.runs_for(HANG)
    tally.kills += runs
    if not runs:
        tally.completed += 1
        tally.require(victim.process.returncode == 0, f"{out}: {victim.output}")
    return runs


def _checked(tally: Tally, out: Path, before: set[Key]) -> set[Key]:
    """See that all files are whole and no row is lost; return the rows that are there."""
    check_decoys(tally, out)
    rows = []
    if (out / "results.csv").exists():
        tally.check(f"{out}/results.csv", lambda: rows.extend(Results(out).rows) is None)
    tally.require(all(row.status is Status.OK for row in rows), f"{out}: a row is not ok")
    for path in (out / "instances").rglob("[!.]*.*"):
        tally.check(f"{path}", lambda path=path: io.read(path).num_nodes > 0)
    for path in (out / "solutions").rglob("[!.]*.*"):
        tally.check(f"{path}", lambda path=path: len(io.read_solution(path).nodes) > 0)
    found = {row.key for row in rows}
    tally.require(before <= found, f"{out}: rows are lost: {before - found}")
    return found
