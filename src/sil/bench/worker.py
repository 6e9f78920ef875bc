"""The process that one run takes place in: ``python -m sil.bench.worker JOB``.

JOB is a json file that names the instance, the method, its limits and where to write. What is
measured is the method alone; starting Python and reading the instance are not.
"""

import json
import resource
import sys
import time
from contextlib import suppress
from pathlib import Path

from sil import io
from sil.bench.method import Limits
from sil.bench.methods import method_named


def main(job_file: Path) -> None:
    """Do one job."""
    job = json.loads(job_file.read_text(encoding="utf-8"))
    problem = io.read(job["problem"])
    method = method_named(job["method"])
    limits = Limits(job["seconds"], job["threads"], job["seed"])
    with suppress(OSError):  # the peak so far came of reading the instance
        Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")
    begun = time.perf_counter()
    solution = method.solve(problem, limits)
    answer = {"seconds": time.perf_counter() - begun, "peak_mb": peak_mb("self")}
    # A peer may be a program that this process has started.
    programs = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    answer["peak_mb"] = max(answer["peak_mb"], programs)
    if solution is not None:
        io.write_solution(job["solution"], solution, problem)
    # Written last: its being there says that the solution is complete.
    Path(job["answer"]).write_text(json.dumps(answer), encoding="utf-8")


def peak_mb(process: int | str) -> float:
    """Largest resident memory of a process; 0 where the system does not tell.

    Not by getrusage, which begins at what the parent had.
    """
    with suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return 0.0


if __name__ == "__main__":
    main(Path(sys.argv[1]))
