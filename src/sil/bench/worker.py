"""The process of one run: ``python -m sil.bench.worker JOB``.

JOB is a json file that names the instance, the method, its limits and the files to write. Only the
method itself is measured, not starting Python, importing and reading the instance. One-time costs
of a first call, such as filling caches, are excluded, too: each method solves a tiny problem first.
"""

import json
import resource
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np

from sil import io
from sil.bench.method_name import MethodName
from sil.bench.peers.program import ProgramPeer
from sil.bench.registry import solver_named
from sil.bench.solver import Limits, NoSolutionError, Solver
from sil.confined.confine import confine, memory_mb
from sil.confined.die_with_parent import die_with_parent
from sil.problem import Problem

_WARM_UP_NODES = 12
_WARM_UP_SECONDS = 0.1


def main(job_file: Path) -> None:
    """Do one job."""
    job = json.loads(job_file.read_text(encoding="utf-8"))
    die_with_parent(job["parent"])
    confine(job["threads"], job["memory_gb"])
    problem = io.read(job["problem"])
    solver = solver_named(MethodName.parse(job["method"]))
    limits = Limits(job["seconds"], job["threads"], job["seed"])
    solver.prepare()
    warm_up(solver, problem, limits)
    with suppress(OSError):  # reset the peak, which so far is due to importing and reading
        Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")
    before = memory_mb("self", "VmRSS")
    Path(job["begun"]).touch()  # the time limit starts here
    begun = time.perf_counter()
    try:
        solution = solver.solve(problem, limits)
    except NoSolutionError:
        solution = None
    seconds = time.perf_counter() - begun
    # A peer may be a program that this process started.
    programs = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    peak = max(memory_mb("self", "VmHWM"), programs)
    if solution is not None:
        io.write_solution(job["solution"], solution, problem)
    # Written last, so that its presence means that the solution is complete.
    answer = {
        "seconds": seconds,
        "peak_mb": peak,
        "growth_mb": max(0.0, peak - before),
        "solved": solution is not None,
    }
    Path(job["answer"]).write_text(json.dumps(answer), encoding="utf-8")


def warm_up(solver: Solver, problem: Problem, limits: Limits) -> None:
    """Let a solver solve the first few nodes of a problem, and discard the result.

    Errors are ignored: the solver will fail again on the problem itself, where the error is
    reported. Separate programs need no warm-up, because they start from scratch each time.
    """
    if isinstance(solver, ProgramPeer):
        return
    with suppress(Exception):
        short = Limits(min(limits.seconds, _WARM_UP_SECONDS), limits.threads, limits.seed)
        solver.solve(_first_few(problem), short)


def _first_few(problem: Problem) -> Problem:
    """Make a small problem of the same kind with the same metric."""
    return problem.subset(np.arange(min(_WARM_UP_NODES, problem.dimension)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
