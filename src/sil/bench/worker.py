"""The process that one run takes place in: ``python -m sil.bench.worker JOB``.

JOB is a json file that names the instance, the method, its limits and where to write. What is
measured is the method alone; starting Python, importing and reading the instance are not. Nor is
what a first call costs, such as filling caches: each method solves a tiny problem before.
"""

import json
import os
import resource
import sys
import time
from contextlib import suppress
from pathlib import Path

from sil import io
from sil.bench.dying import die_with_parent
from sil.bench.method import Limits, Method, NoSolutionError
from sil.bench.methods import method_named
from sil.bench.peers.program import ProgramPeer
from sil.problem import Problem

_FEW = 12  # nodes of the problem to warm up with
_SHORT = 0.1  # seconds for it


def main(job_file: Path) -> None:
    """Do one job."""
    job = json.loads(job_file.read_text(encoding="utf-8"))
    die_with_parent(job["parent"])
    _confine(job["threads"], job["memory_gb"])
    problem = io.read(job["problem"])
    method = method_named(job["method"])
    limits = Limits(job["seconds"], job["threads"], job["seed"])
    method.prepare()
    warm_up(method, problem, limits)
    with suppress(OSError):  # the peak so far came of importing and reading
        Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")
    before = memory_mb("self", "VmRSS")
    Path(job["begun"]).touch()  # from now on time counts
    begun = time.perf_counter()
    try:
        solution = method.solve(problem, limits)
    except NoSolutionError:
        solution = None
    seconds = time.perf_counter() - begun
    # A peer may be a program that this process has started.
    programs = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    peak = max(memory_mb("self", "VmHWM"), programs)
    if solution is not None:
        io.write_solution(job["solution"], solution, problem)
    # Written last: its being there says that the solution is complete.
    answer = {
        "seconds": seconds,
        "peak_mb": peak,
        "growth_mb": max(0.0, peak - before),
        "solved": solution is not None,
    }
    Path(job["answer"]).write_text(json.dumps(answer), encoding="utf-8")


def warm_up(method: Method, problem: Problem, limits: Limits) -> None:
    """Let a method solve the first few nodes of a problem, and forget what it finds.

    A method that fails here will fail at the problem itself, which tells more. Programs do
    everything anew each time.
    """
    if isinstance(method, ProgramPeer):
        return
    with suppress(Exception):
        short = Limits(min(limits.seconds, _SHORT), limits.threads, limits.seed)
        method.solve(_first_few(problem), short)


def _first_few(problem: Problem) -> Problem:
    """Cut out a problem of the same kind, with the same way of measuring distances."""
    few = min(_FEW, problem.dimension)
    return Problem(
        None if problem.coords is None else problem.coords[:few],
        None if problem.demand is None else problem.demand[:few],
        problem.capacity,
        problem.metric,
        None if problem.matrix is None else problem.matrix[:few, :few],
    )


def _confine(threads: int, memory_gb: float) -> None:
    """Take no more cores and address space than allowed; programs started later neither."""
    size = int(memory_gb * 2**30)
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    if most == resource.RLIM_INFINITY or size < most:
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, cores[:threads])


def memory_mb(process: int | str, which: str) -> float:
    """Resident memory of a process, VmRSS, or its peak, VmHWM; 0 where the system does not tell.

    Not by getrusage, whose peak begins at what the parent had.
    """
    with suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines():
            if line.startswith(f"{which}:"):
                return int(line.split()[1]) / 1024
    return 0.0


if __name__ == "__main__":
    main(Path(sys.argv[1]))
