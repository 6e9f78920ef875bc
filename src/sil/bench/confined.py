"""Running a method in a process of its own, and judging its answer."""

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from sil import io
from sil._native import Interrupt
from sil.bench.method import Limits
from sil.bench.methods import method_named
from sil.bench.results import Status
from sil.bench.step import Step
from sil.bench.worker import peak_mb
from sil.errors import SilError
from sil.problem import Problem
from sil.solution import Solution

_GRACE = 15.0  # seconds for starting, reading and writing
_GRACE_SHARE = 0.25  # of the time limit, for methods that look at the clock now and then
_POLL = 0.02  # seconds
_OUT_OF_MEMORY = ("MemoryError", "bad_alloc", "Unable to allocate", "can't allocate memory")


@dataclass(frozen=True)
class Outcome:
    """How a run ended.

    Parameters
    ----------
    status
        In one word.
    message
        Why there is no solution.
    solution
        One that has passed the independent check; None if the method gives none.
    seconds
        That the method took, or the process if it gave no answer.
    peak_mb
        Largest resident memory.
    """

    status: Status
    message: str
    solution: Solution | None
    seconds: float
    peak_mb: float


def run(
    method: str,
    problem: Problem,
    limits: Limits,
    *,
    memory_gb: float,
    most_seconds: float,
    interrupt: Interrupt,
) -> Outcome | None:
    """Run a method on a problem; None if interrupted.

    Parameters
    ----------
    method
        Its name.
    problem
        What to solve.
    limits
        What the method is told.
    memory_gb
        Address space that its process may have.
    most_seconds
        When a method without time limit is killed.
    interrupt
        When set, the method is killed.
    """
    allowed = limits.seconds * (1 + _GRACE_SHARE) if limits.seconds else most_seconds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = {
            "problem": folder / "problem.npz",
            "solution": folder / "solution.npz",
            "answer": folder / "answer.json",
        }
        io.write(paths["problem"], problem)
        job = {key: str(path) for key, path in paths.items()}
        job |= {"method": method, **vars(limits)}
        (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
        ended = _watch(folder, limits.threads, memory_gb, allowed + _GRACE, interrupt)
        if interrupt.is_set():
            return None
        if ended.status is not Status.OK:
            return ended
        return _judged(method, problem, paths["solution"], paths["answer"], ended)


def _watch(
    folder: Path, threads: int, memory_gb: float, allowed: float, interrupt: Interrupt
) -> Outcome:
    """Wait for the worker, or kill it and all that it started."""

    def confine() -> None:
        size = int(memory_gb * 2**30)
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
        if hasattr(os, "sched_setaffinity"):
            cores = sorted(os.sched_getaffinity(0))
            os.sched_setaffinity(0, cores[: max(1, threads)])

    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    begun = time.perf_counter()
    with (folder / "output.txt").open("wb") as output:
        worker = subprocess.Popen(
            [sys.executable, "-m", "sil.bench.worker", str(folder / "job.json")],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env=environment,
            start_new_session=True,
            preexec_fn=confine,  # noqa: PLW1509 (no threads are running that it could upset)
        )
        killed, peak = False, 0.0
        try:
            while True:
                peak = max(peak, peak_mb(worker.pid))
                pid, code, _ = os.wait4(worker.pid, os.WNOHANG)
                if pid:
                    break
                late = time.perf_counter() - begun > allowed
                if not killed and (late or interrupt.is_set()):
                    os.killpg(worker.pid, signal.SIGKILL)
                    killed = True
                time.sleep(_POLL)
            worker.returncode = os.waitstatus_to_exitcode(code)
        finally:
            _end_group(worker.pid)
    seconds = time.perf_counter() - begun
    if killed:
        return Outcome(Status.TIMEOUT, f"no answer in {allowed:.0f} s", None, seconds, peak)
    if worker.returncode == 0:
        return Outcome(Status.OK, "", None, seconds, peak)
    said = _last_line(folder / "output.txt")
    status = Status.MEMORY if any(words in said for words in _OUT_OF_MEMORY) else Status.CRASH
    how = f"exit code {worker.returncode}"
    if worker.returncode < 0:
        how = f"killed by {signal.Signals(-worker.returncode).name}"
    return Outcome(status, f"{how}: {said}" if said else how, None, seconds, peak)


def _judged(
    method: str, problem: Problem, solution_file: Path, answer_file: Path, ended: Outcome
) -> Outcome:
    try:
        answer = json.loads(answer_file.read_text(encoding="utf-8"))
        seconds, peak = float(answer["seconds"]), float(answer["peak_mb"])
        if isinstance(method_named(method), Step):
            return Outcome(Status.OK, "", None, seconds, peak)
        solution = io.read_solution(solution_file)
        wrong = solution.check(problem)
    except (OSError, ValueError, KeyError, TypeError, IndexError, SilError) as error:
        message = f"no readable answer: {error}"
        return Outcome(Status.INVALID, message, None, ended.seconds, ended.peak_mb)
    if wrong:
        return Outcome(Status.INVALID, wrong[0], None, seconds, peak)
    return Outcome(Status.OK, "", solution, seconds, peak)


def _end_group(group: int) -> None:
    """Kill what a worker has left behind, also when we are interrupted ourselves."""
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def _last_line(path: Path) -> str:
    lines = path.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1][:200] if lines else ""
