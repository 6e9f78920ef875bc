"""``sil solve --out`` is killed: the file is the whole old one, or the whole new one."""

import time
from contextlib import suppress
from pathlib import Path

import numpy as np

from sil import Problem, generate_cvrp, generate_tsp, io
from sil.construct import construct
from tests.fuzz.victim import DECOYS, Tally, Victim, check_decoys, plant

_SIZE = 4_000  # so large that writing takes a few milliseconds
_SECONDS = 0.5
_WHILE_WRITING = 0.008  # seconds
_ENDINGS = {"tsp": (".npz", ".tour", ".json"), "cvrp": (".npz", ".sol", ".json")}


def kill_solve(kills: int, rng: np.random.Generator, folder: Path) -> Tally:
    """Kill it at work, and when it begins to write."""
    tally = Tally()
    problems = {"tsp": generate_tsp(_SIZE, 1), "cvrp": generate_cvrp(_SIZE, 1)}
    cases = [(kind, ending) for kind, endings in _ENDINGS.items() for ending in endings]
    for kind, problem in problems.items():
        io.write(folder / f"{kind}.npz", problem)
    with Victim(["-m", "sil", "--version"], folder / "log") as victim:
        victim.ends_well()
        starting = time.monotonic() - victim.began
    whole = starting + _SECONDS  # at least
    for attempt in range(10 * kills):
        if tally.kills == kills:
            break
        kind, ending = cases[attempt % len(cases)]
        target = folder / f"{kind}{ending[1:]}" / f"x{ending}"
        old = _prepared(target, problems[kind], bool(rng.random() < 0.7))
        at_writing = rng.random() < 0.6
        with _solving(folder / f"{kind}.npz", target) as victim:
            if at_writing:
                killed = victim.runs_until(lambda target=target: _is_begun(target))
                killed = killed and victim.runs_for(rng.uniform(0, _WHILE_WRITING))
            else:
                killed = victim.runs_for(rng.uniform(starting, whole))
            victim.kill()
        if not killed:
            tally.completed += 1
            tally.require(victim.process.returncode == 0, f"{target}: {victim.output}")
        tally.kills += killed
        phase = _checked(tally, target, problems[kind], old)
        tally.phases[f"{phase}, {ending}" if killed else "came to its end before"] += 1
    for kind, ending in cases:
        target = folder / f"{kind}{ending[1:]}" / f"x{ending}"
        if not target.parent.exists():
            continue
        with _solving(folder / f"{kind}.npz", target) as victim:
            tally.require(victim.ends_well(), f"{target} does not go on: {victim.output}")
        tally.completed += 1
        tally.check(f"{target}", lambda t=target, k=kind: _is_whole(t, problems[k]))
    return tally


def _solving(file: Path, target: Path) -> Victim:
    options = ["--max-runtime", str(_SECONDS), "--threads", "1", "--out", str(target)]
    return Victim(["-m", "sil", "solve", str(file), *options], file.parent / "log")


def _is_begun(target: Path) -> bool:
    """Whether anything was written to a new file; an empty one may be a trial before the work."""
    with suppress(FileNotFoundError):
        known = {target.name, *DECOYS}
        return any(
            path.is_file() and path.name not in known and path.stat().st_size > 0
            for path in target.parent.iterdir()
        )
    return False


def _prepared(target: Path, problem: Problem, there: bool) -> bytes | None:
    """Make a folder with an old solution, if one is to be there; return its content."""
    target.parent.mkdir(exist_ok=True)
    for path in target.parent.iterdir():
        if path.is_file():
            path.unlink()
    plant(target.parent)
    if not there:
        return None
    io.write_solution(target, construct(problem, "curve"), problem)
    return target.read_bytes()


def _checked(tally: Tally, target: Path, problem: Problem, old: bytes | None) -> str:
    """See that nothing is lost, and tell where the kill hit."""
    check_decoys(tally, target.parent)
    ours = {path.name for path in target.parent.iterdir() if path.is_file()} - set(DECOYS)
    found = target.read_bytes() if target.exists() else None
    if found == old:
        tally.files += old is not None
        left = ours - {target.name}
        return "while writing, the old one is there" if left else "at work"
    tally.check(f"{target} is neither old nor new", lambda: _is_whole(target, problem))
    return "after writing, the new one is there"


def _is_whole(target: Path, problem: Problem) -> bool:
    return io.read_solution(target).check(problem) == []
