"""The process that one run takes place in: ``python -m sil.bench.worker JOB``.

JOB is a json file that names the instance, the method, its limits and where to write. What is
measured is the method alone; starting Python, importing and reading the instance are not.
"""

import ctypes
import json
import os
import resource
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

from sil import io
from sil.bench.method import Limits, NoSolutionError
from sil.bench.methods import method_named

_PR_SET_PDEATHSIG = 1


def main(job_file: Path) -> None:
    """Do one job."""
    job = json.loads(job_file.read_text(encoding="utf-8"))
    _confine(job["threads"], job["memory_gb"])
    problem = io.read(job["problem"])
    method = method_named(job["method"])
    limits = Limits(job["seconds"], job["threads"], job["seed"])
    method.prepare()
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


def _confine(threads: int, memory_gb: float) -> None:
    """Take no more cores and address space than allowed; programs started later neither."""
    with suppress(OSError, AttributeError):  # on Linux: do not outlive who waits for the answer
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
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
