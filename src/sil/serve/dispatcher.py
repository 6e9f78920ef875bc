"""Takes jobs from the queue and has them run, as many at a time as there are workers."""

import logging
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from sil.serve.backend import Attempt, Backend, End
from sil.serve.bells import Bells
from sil.serve.job import Folder, Job, State
from sil.serve.settings import Settings
from sil.serve.store import Store

_IDLE = 0.5  # seconds between looks at an empty queue
_BETWEEN_SWEEPS = 60.0
_MOST_FAILURES = 5  # in a row, without any progress
_RETRY = 1.0  # seconds between attempts to write to a full disk

T = TypeVar("T")
_log = logging.getLogger("sil.serve")


class Dispatcher:
    """Runs the jobs of a store until it is closed.

    Parameters
    ----------
    store
        The records.
    backend
        Where jobs run.
    bells
        Rung when there are news of a job.
    settings
        How many at a time, and how long finished jobs are kept.
    """

    def __init__(self, store: Store, backend: Backend, bells: Bells, settings: Settings) -> None:
        self._store, self._backend, self._bells = store, backend, bells
        self._settings = settings
        self._jobs = settings.data / "jobs"
        self._closing = threading.Event()
        self._work = threading.Semaphore(0)
        self._deleted: set[str] = set()
        self._stopping: set[str] = set()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Put jobs that were running back into the queue, tidy up and begin."""
        for name in self._store.put_all_back():
            _log.info("job %s goes on", name)
        known = set(self._store.names())
        self._jobs.mkdir(exist_ok=True)
        for folder in self._jobs.iterdir():
            if folder.name not in known:  # its submission was cut short
                shutil.rmtree(folder, ignore_errors=True)
        # Each worker thread lives until the end: processes die with the thread that starts them.
        self._threads = [
            threading.Thread(target=self._serve_slot, args=(slot,), name=f"slot-{slot}")
            for slot in range(self._settings.workers)
        ]
        self._threads.append(threading.Thread(target=self._keep_sweeping, name="sweeper"))
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """End all work at once. Jobs that run go on at the next start."""
        self._closing.set()
        for _ in self._threads:
            self._work.release()
        for thread in self._threads:
            thread.join()

    @property
    def is_alive(self) -> bool:
        """Whether all its threads are at work."""
        return bool(self._threads) and all(thread.is_alive() for thread in self._threads)

    def notify(self, name: str) -> None:
        """Tell that there is something to do."""
        self._bells.ring(name)
        self._work.release()

    def stop(self, name: str) -> Job | None:
        """Ask a job to stop and keep its best solution."""
        job = self._store.stop(name)
        if job is not None and job.state is State.RUNNING:
            self._stopping.add(name)
        self._bells.ring(name)
        return job

    def delete(self, name: str) -> None:
        """Forget a job and free all that it uses."""
        job = self._store.get(name)
        if job is not None and job.state is State.RUNNING:
            self._deleted.add(name)
        self._store.delete(name)
        self._bells.ring(name)
        folder = self._folder(name).path
        # Renamed first, so that a worker that still runs has nowhere to write to.
        away = folder.with_name(f"{name}.deleted")
        with suppress(OSError):
            folder.rename(away)
        shutil.rmtree(away, ignore_errors=True)

    def _folder(self, name: str) -> Folder:
        return Folder(self._jobs / name)

    def _serve_slot(self, slot: int) -> None:
        while not self._closing.is_set():
            job = self._insistently(self._store.claim)
            if job is None:
                self._work.acquire(timeout=_IDLE)
                continue
            self._bells.ring(job.id)
            try:
                self._run(job, slot)
            except Exception:
                # A fault of ours must not end this thread, and the job gets another attempt.
                _log.exception("job %s", job.id)
                self._settle(job.id, Attempt(End.LOST, "an error of the service, see its log"))

    def _run(self, job: Job, slot: int) -> None:
        name = job.id
        if job.stopping:
            self._stopping.add(name)

        def on_progress(figures: dict[str, Any]) -> None:
            # If the disk is full the solution is newer than its record, which does no harm.
            with suppress(sqlite3.OperationalError):
                self._store.progress(name, figures)
            self._bells.ring(name)

        attempt = self._backend.run(
            job,
            self._folder(name),
            slot,
            on_progress,
            lambda: name in self._stopping,
            lambda: name in self._deleted or self._closing.is_set(),
        )
        self._settle(name, attempt)

    def _settle(self, name: str, attempt: Attempt) -> None:
        """Note what came of an attempt."""
        job = self._store.get(name)
        if job is None or self._closing.is_set():
            self._deleted.discard(name)
            self._stopping.discard(name)
            return
        if attempt.message:
            _log.warning("job %s: %s", name, attempt.message)
        stopped = job.stopping or name in self._stopping
        gives_up = attempt.end is End.HOPELESS or job.failures + 1 >= _MOST_FAILURES
        if attempt.end is End.LOST and not gives_up and not (stopped and job.cost is not None):
            self._insistently(lambda: self._store.put_back(name, failed=True))
            self._work.release()
        else:
            state = State.CANCELLED if stopped else State.DONE
            if job.cost is None:
                state = State.FAILED
            message = attempt.message
            if message and job.cost is not None:
                message = f"ended early with its best solution so far: {message}"
            self._insistently(lambda: self._store.finish(name, state, message, attempt.shares))
            self._stopping.discard(name)
        self._bells.ring(name)

    def _insistently(self, action: Callable[[], T]) -> T | None:
        """Write to the database, and try again as long as the disk is full."""
        while True:
            try:
                return action()
            except sqlite3.OperationalError as error:
                _log.error("the records cannot be written: %s", error)
                if self._closing.wait(_RETRY):
                    return None

    def _keep_sweeping(self) -> None:
        while not self._closing.is_set():
            with suppress(sqlite3.OperationalError):
                for name in self._store.names(time.time() - self._settings.keep_seconds):
                    self.delete(name)
            self._closing.wait(_BETWEEN_SWEEPS)


def folders(data: Path) -> tuple[Path, Path]:
    """Make the folders of jobs and of uploads that are being read, the second one empty."""
    jobs, incoming = data / "jobs", data / "incoming"
    jobs.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(incoming, ignore_errors=True)
    incoming.mkdir(parents=True, exist_ok=True)
    return jobs, incoming
