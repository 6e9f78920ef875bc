"""The process that one run takes place in: ``python -m sil.bench.worker JOB``.

JOB is a json file that names the instance, the method, its limits and where to write. What is
measured is the method alone; starting Python and reading the instance are not.
"""

import json
import sys
import time
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
    begun = time.perf_counter()
    solution = method.solve(problem, limits)
    seconds = time.perf_counter() - begun
    io.write_solution(job["solution"], solution, problem)
    # Written last: its being there says that the solution is complete.
    Path(job["answer"]).write_text(json.dumps({"seconds": seconds}), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
