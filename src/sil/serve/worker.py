"""The process of one job: ``python -m sil.serve.worker TASK``.

TASK is a json file with the fields of `Task`. The process prints a line of JSON for each
improvement, after the solution is on the disk, and one more at the end.
"""

import json
import os
import signal
import sys
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import sil
from sil import io
from sil._native import Interrupt
from sil.confined.confine import confine
from sil.confined.die_with_parent import die_with_parent
from sil.errors import SilError
from sil.result import Progress
from sil.serve.binary import read_routes, write_routes
from sil.serve.job import Folder
from sil.solution import Solution, require_valid

_BETWEEN = 0.3  # seconds between two improvements that are saved, at least
_SAVING_SHARE = 0.1  # of the time may be spent on saving
_STILL_ALIVE = 2.0  # seconds between lines if nothing gets better
_PATIENCE = 20.0  # seconds to try saving the last solution
_UNHURRIED = 10  # so that the server answers first


@dataclass(frozen=True)
class Task:
    """What a process shall do.

    Parameters
    ----------
    folder
        Folder of the job.
    parent
        Process id of the server.
    method, seed, seconds, threads
        How to solve the problem, and the time that is left.
    elapsed, rounds
        Seconds and rounds of attempts before this one.
    memory_gb
        Limit on the address space.
    first_core
        Which cores to use.
    """

    folder: str
    parent: int
    method: str
    seed: int
    seconds: float
    threads: int
    elapsed: float
    rounds: int
    memory_gb: float
    first_core: int


class Keeper:
    """Saves better solutions in a thread of its own, so that the search does not wait.

    Parameters
    ----------
    task
        The task.
    problem
        The problem.
    """

    def __init__(self, task: Task, problem: sil.Problem) -> None:
        self._task, self._problem = task, problem
        self._file = Folder(Path(task.folder)).routes
        self._begun = time.perf_counter()
        self._latest: Solution | None = None
        self._saved: dict[str, Any] | None = None
        self._rounds = 0
        self._bell, self._over = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def offer(self, solution: Solution, progress: Progress) -> None:
        """Take a better solution."""
        del progress
        self._latest = solution
        self._bell.set()

    def count(self, progress: Progress) -> None:
        """Take note of a round."""
        self._rounds = progress.iteration

    def finish(self, result: sil.Result) -> None:
        """Save the last solution, and wait a while if the disk is full."""
        self._over.set()
        self._bell.set()
        self._thread.join()
        self._latest, self._rounds = result.best, result.num_iterations
        end = time.perf_counter() + _PATIENCE
        while not self._save() and time.perf_counter() < end:
            time.sleep(1)
        self._tell()

    def _work(self) -> None:
        while not self._over.is_set():
            self._bell.wait(_STILL_ALIVE)
            self._bell.clear()
            began = time.perf_counter()
            self._save()
            self._tell()
            took = time.perf_counter() - began
            self._over.wait(max(_BETWEEN, took / _SAVING_SHARE))

    def _save(self) -> bool:
        """Save the latest solution; whether it is on the disk now."""
        latest = self._latest
        if latest is None:
            return True
        fresh = Solution(latest.nodes, latest.via_depot)  # independent code computes its cost
        cost, routes = fresh.cost(self._problem), fresh.num_routes
        rank = self._problem.excess(routes), cost
        if self._saved is None or rank < (
            self._problem.excess(self._saved["routes"]),
            self._saved["cost"],
        ):
            # The search works towards fewer routes: the best so far may need more vehicles.
            require_valid(fresh, self._problem.replace(max_vehicles=None))
            try:
                write_routes(self._file, fresh, self._problem)
            except SilError as error:
                print(error, file=sys.stderr)
                return False
            self._saved = {"cost": cost, "routes": routes}
        if self._latest is latest:
            self._latest = None
        return True

    def _tell(self) -> None:
        if self._saved is None:
            return
        elapsed = self._task.elapsed + time.perf_counter() - self._begun
        figures = {"elapsed": round(elapsed, 3), "rounds": self._task.rounds + self._rounds}
        _say({"progress": figures | self._saved})


def main(task_file: Path) -> None:
    """Do one task."""
    task = Task(**json.loads(task_file.read_text(encoding="utf-8")))
    die_with_parent(task.parent)
    confine(
        task.threads,
        task.memory_gb,
        first_core=task.first_core,
        cpu_seconds=int((task.seconds + 120) * (task.threads + 1)),
    )
    os.nice(_UNHURRIED)
    interrupt = Interrupt()
    signal.signal(signal.SIGTERM, lambda *_: interrupt.set())
    _say({"ready": True})
    try:
        _solve(task, interrupt)
    except SilError as error:
        _say({"refused": str(error).replace(f"{Folder(Path(task.folder)).problem}: ", "")})


def _solve(task: Task, interrupt: Interrupt) -> None:
    folder = Folder(Path(task.folder))
    problem = io.read(folder.problem)
    start = read_routes(folder.routes, problem) if folder.routes.exists() else None
    keeper = Keeper(task, problem)
    result = sil.solve(
        problem,
        sil.MaxRuntime(task.seconds),
        task.seed,
        method=task.method,
        start=start,
        threads=task.threads,
        callback=keeper.count,
        on_best=keeper.offer,
        interrupt=interrupt,
    )
    keeper.finish(result)
    _say({"finished": [asdict(share) for share in result.shares]})


def _say(line: dict[str, Any]) -> None:
    try:
        # One write, so that a kill leaves no half of a line between two others.
        os.write(1, json.dumps(line).encode() + b"\n")
    except BrokenPipeError:
        os._exit(1)  # the server has ended, and another one may have begun the same job


if __name__ == "__main__":
    main(Path(sys.argv[1]))
