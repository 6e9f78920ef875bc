"""Run a method in a process of its own, limit and watch it, and check its answer."""

import json
import os
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

from sil import io
from sil._native import Interrupt
from sil.bench.decoding_memory import DecodingStep
from sil.bench.method_name import MethodName
from sil.bench.registry import solver_named
from sil.bench.row import Status
from sil.bench.solver import Limits
from sil.confined.process import ConfinedProcess
from sil.errors import InputError, SilError
from sil.problem import Problem
from sil.solution import Solution

# Seconds allowed for starting, importing, reading and warming up, and for writing.
_START, _FINISH = 60.0, 5.0
# By how much a method may exceed its time limit: seconds, and a share of the limit.
_GRACE, _GRACE_SHARE = 1.0, 0.25
_POLL = 0.02  # seconds


@dataclass(frozen=True)
class Outcome:
    """How a run ended.

    Parameters
    ----------
    status
        How it ended, in one word.
    message
        Why there is no solution.
    solution
        A solution that passed the independent check; None if there is none.
    seconds
        Time that the method took, or the whole process if there was no answer.
    peak_mb
        Peak resident memory.
    growth_mb
        The part of the peak that came after importing and reading; 0 if there was no answer.
    """

    status: Status
    message: str
    solution: Solution | None
    seconds: float
    peak_mb: float
    growth_mb: float = 0.0


def run(
    method: MethodName,
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
        The method.
    problem
        The problem to solve.
    limits
        Time, threads and seed, which the method is told.
    memory_gb
        Limit on the address space of its process.
    most_seconds
        Time after which a method without a time limit is killed.
    interrupt
        When set, the method is killed.
    """
    allowed = limits.seconds * (1 + _GRACE_SHARE) + _GRACE if limits.seconds else most_seconds
    try:
        with tempfile.TemporaryDirectory(prefix="sil-bench-") as name:
            return _run_in(Path(name), method, problem, limits, memory_gb, allowed, interrupt)
    except OSError as error:
        raise InputError(
            f"{tempfile.gettempdir()}: cannot make a temporary folder here (set TMPDIR to choose "
            f"another place): {error.strerror or error}"
        ) from error


def _run_in(
    folder: Path,
    method: MethodName,
    problem: Problem,
    limits: Limits,
    memory_gb: float,
    allowed: float,
    interrupt: Interrupt,
) -> Outcome | None:
    paths = {
        "problem": folder / "problem.npz",
        "solution": folder / "solution.npz",
        "answer": folder / "answer.json",
        "begun": folder / "begun",
    }
    io.write(paths["problem"], problem)
    job: dict[str, object] = {key: str(path) for key, path in paths.items()}
    job |= {"method": str(method), "memory_gb": memory_gb, "parent": os.getpid(), **vars(limits)}
    (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
    ended = _watch(folder, paths["begun"], limits.threads, allowed, interrupt)
    if interrupt.is_set():
        return None
    if ended.status is not Status.OK:
        return ended
    judged = _judged(method, problem, paths["solution"], paths["answer"], ended)
    if limits.seconds and judged.seconds > allowed:
        message = f"answered only after {judged.seconds:.1f} s"
        return replace(judged, status=Status.TIMEOUT, message=message, solution=None)
    return judged


def _watch(
    folder: Path, begun_file: Path, threads: int, allowed: float, interrupt: Interrupt
) -> Outcome:
    """Wait for the worker; if it is late, kill it and everything that it started."""
    started = time.perf_counter()
    end, begun, killed = started + _START, False, False
    job = str(folder / "job.json")
    with ConfinedProcess("sil.bench.worker", [job], folder, threads) as worker:
        while not worker.has_ended():
            if not begun and begun_file.exists():
                end, begun = time.perf_counter() + allowed + _FINISH, True
            late = time.perf_counter() > end
            if not killed and (late or interrupt.is_set()):
                worker.kill()
                killed = True
            time.sleep(_POLL)
    seconds, peak = time.perf_counter() - started, worker.peak_mb
    if killed and not begun:
        message = f"not ready to begin after {_START:.0f} s"
        return Outcome(Status.CRASH, message, None, seconds, peak)
    if killed:
        return Outcome(Status.TIMEOUT, f"no answer in {allowed:.0f} s", None, seconds, peak)
    if worker.succeeded:
        return Outcome(Status.OK, "", None, seconds, peak)
    status = Status.MEMORY if worker.ran_out_of_memory else Status.CRASH
    return Outcome(status, worker.how_it_failed(), None, seconds, peak)


def _judged(
    method: MethodName, problem: Problem, solution_file: Path, answer_file: Path, ended: Outcome
) -> Outcome:
    try:
        answer = json.loads(answer_file.read_text(encoding="utf-8"))
        seconds, peak, growth = (answer[name] for name in ("seconds", "peak_mb", "growth_mb"))
        if isinstance(solver_named(method), DecodingStep):
            return Outcome(Status.OK, "", None, seconds, peak, growth)
        if not answer["solved"]:
            return Outcome(
                Status.TIMEOUT, "no solution within the time limit", None, seconds, peak, growth
            )
        solution = io.read_solution(solution_file)
        wrong = solution.check(problem)
    except (OSError, ValueError, KeyError, TypeError, IndexError, SilError) as error:
        message = f"no readable answer: {error}"
        return Outcome(Status.INVALID, message, None, ended.seconds, ended.peak_mb)
    if wrong:
        return Outcome(Status.INVALID, wrong[0], None, seconds, peak, growth)
    return Outcome(Status.OK, "", solution, seconds, peak, growth)
