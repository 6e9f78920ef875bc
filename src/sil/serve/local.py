"""Runs jobs on this machine, each as a confined process of its own."""

import json
import os
import select
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

from sil.confined.process import ConfinedProcess
from sil.errors import SilError
from sil.serve.backend import Attempt, End
from sil.serve.job import Folder, Job
from sil.serve.settings import Settings
from sil.serve.worker import Task

_POLL = 0.1  # seconds
_LEAST = 0.05  # seconds for an attempt, if the time of the job is nearly up
# Seconds after the time of a job, or after it was asked to stop, before it is killed.
_GRACE, _GRACE_SHARE = 60.0, 0.1


class LocalBackend:
    """Runs jobs as processes.

    Parameters
    ----------
    settings
        Limits of each job.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def run(
        self,
        job: Job,
        folder: Folder,
        slot: int,
        on_progress: Callable[[dict[str, Any]], None],
        should_stop: Callable[[], bool],
        should_vanish: Callable[[], bool],
    ) -> Attempt:
        """Work on a job; see `Backend`."""
        seconds = max(_LEAST, job.max_runtime - job.elapsed)
        threads = self._settings.threads_per_job
        task = Task(
            folder=str(folder.path),
            parent=os.getpid(),
            method=job.method,
            seed=job.seed + job.event,  # another attempt takes other turns
            seconds=seconds,
            threads=threads,
            elapsed=job.elapsed,
            rounds=job.rounds,
            memory_gb=self._settings.limits.memory_gb,
            first_core=slot * threads,
        )
        try:
            shutil.rmtree(folder.work, ignore_errors=True)
            folder.work.mkdir()
            file = folder.work / "task.json"
            file.write_text(json.dumps(asdict(task)), encoding="utf-8")
            with ConfinedProcess("sil.serve.worker", [str(file)], folder.work, threads, True) as it:
                return _watched(it, job, seconds, on_progress, should_stop, should_vanish)
        except OSError as error:  # the disk is full, or there is no room for another process
            time.sleep(1)
            return Attempt(End.LOST, f"could not be started: {error.strerror or error}")
        finally:
            shutil.rmtree(folder.work, ignore_errors=True)


def _watched(
    process: ConfinedProcess,
    job: Job,
    seconds: float,
    on_progress: Callable[[dict[str, Any]], None],
    should_stop: Callable[[], bool],
    should_vanish: Callable[[], bool],
) -> Attempt:
    end = time.monotonic() + seconds * (1 + _GRACE_SHARE) + _GRACE
    ready = asked = False
    for line in _lines(process):
        if line is not None:
            if "finished" in line:
                return Attempt(End.FINISHED, shares=json.dumps(line["finished"]))
            if "refused" in line:
                return Attempt(End.HOPELESS, line["refused"])
            if "ready" in line:
                ready = True
            else:
                on_progress(line["progress"])
        if should_vanish():
            return Attempt(End.LOST)
        if ready and not asked and should_stop():
            process.ask_to_stop()
            asked, end = True, min(end, time.monotonic() + _GRACE)
        if time.monotonic() > end:
            return Attempt(End.HOPELESS, f"had not finished {_GRACE:.0f} s after its time")
    while not process.has_ended():
        time.sleep(_POLL)
    if process.ran_out_of_memory:
        return Attempt(End.HOPELESS, "there was not enough memory for it")
    return Attempt(End.LOST, f"its process ended: {process.how_it_failed()}")


def _lines(process: ConfinedProcess) -> Iterator[dict[str, Any] | None]:
    """Give what a process says, line by line; None when it says nothing for a while."""
    said = b""
    handle = process.stdout.fileno()
    while True:
        if not select.select([handle], [], [], _POLL)[0]:
            yield None
            continue
        part = os.read(handle, 65_536)
        if not part:
            return
        *lines, said = (said + part).split(b"\n")
        for line in lines:
            try:
                yield json.loads(line)
            except ValueError as error:
                raise SilError(f"a worker said what is not JSON: {line[:100]!r}") from error
