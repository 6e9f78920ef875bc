"""The parts of the service together: what the answers to requests are made of."""

import errno
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool

from sil.errors import InputError
from sil.io.atomic import flush_names
from sil.io.lock import FolderLock
from sil.serve.backend import Backend
from sil.serve.bells import Bells
from sil.serve.converters import BusyError, Converters
from sil.serve.dispatcher import Dispatcher, folders
from sil.serve.job import Folder, Job, State, is_id, new_id
from sil.serve.local import LocalBackend
from sil.serve.problems import Refusal
from sil.serve.receiving import Upload
from sil.serve.settings import Settings
from sil.serve.store import KeyTakenError, QueueFullError, Store

_CONVERTERS = 2
_MOST_BODIES = 64
_LONGEST_KEY = 200


class Service:
    """Everything behind the HTTP interface.

    Parameters
    ----------
    settings
        How the service runs.
    backend
        Where jobs run. Default: on this machine.
    """

    def __init__(self, settings: Settings, backend: Backend | None = None) -> None:
        self.settings = settings
        self._lock = FolderLock(settings.data, "another service uses this folder")
        try:
            self._jobs, self.incoming = folders(settings.data)
            self.store = Store(settings.data / "jobs.sqlite")
        except OSError as error:
            raise InputError(f"{settings.data}: cannot be written to: {error.strerror}") from error
        self.bells = Bells()
        self._bodies = 0
        limits = settings.limits
        self._converters = Converters(
            self.incoming, _CONVERTERS, limits.memory_gb, limits.reading_seconds
        )
        self.dispatcher = Dispatcher(
            self.store, backend or LocalBackend(settings), self.bells, settings
        )
        self.dispatcher.start()

    def close(self) -> None:
        """End all work. Jobs that run go on at the next start."""
        self.dispatcher.close()
        self._converters.close()
        self.store.close()
        self._lock.close()

    def folder(self, job: Job) -> Folder:
        """Return the files of a job."""
        return Folder(self._jobs / job.id)

    def job(self, name: str) -> Job:
        """Find a job, or refuse."""
        job = self.store.get(name) if is_id(name) else None
        if job is None:
            raise Refusal(404, "there is no such job")
        return job

    def require_room(self) -> None:
        """Refuse if the queue is full, before a body is read."""
        waiting = self.store.counts()
        if waiting[State.QUEUED] >= self.settings.limits.max_queue:
            raise self._queue_full()

    @contextmanager
    def receiving(self) -> Iterator[None]:
        """Count the bodies that are being received, and refuse if there are too many."""
        if self._bodies >= _MOST_BODIES:
            raise Refusal(429, "too many uploads at the same time", retry_after=5)
        self._bodies += 1
        try:
            yield
        finally:
            self._bodies -= 1

    def submitted_before(self, client: str, key: str | None, upload: Upload) -> Job | None:
        """Find the job that was submitted with the same idempotency key."""
        if key is None:
            return None
        if not (1 <= len(key) <= _LONGEST_KEY and key.isascii() and key.isprintable()):
            raise Refusal(422, f"must have 1 to {_LONGEST_KEY} ASCII characters", "Idempotency-Key")
        try:
            return self.store.keyed(client, key, upload.digest)
        except KeyTakenError as error:
            raise Refusal(422, str(error), "Idempotency-Key") from None

    async def submit(self, upload: Upload, client: str, key: str | None) -> Job:
        """Read an upload and put it into the queue."""
        name = new_id()
        folder = Folder(self._jobs / name)
        folder.path.mkdir()
        accepted = None
        try:
            read = await self._ask(
                {
                    "do": "read",
                    "upload": str(upload.path),
                    "title": upload.title,
                    "options": upload.options,
                    "folder": str(folder.path),
                    "limits": vars(self.settings.limits),
                }
            )
            job = Job(id=name, client=client, created=time.time(), **read["job"])
            await run_in_threadpool(flush_names, self._jobs)
            accepted = await run_in_threadpool(
                self.store.add, job, self.settings.limits.max_queue, key, upload.digest
            )
        except QueueFullError:
            raise self._queue_full() from None
        except KeyTakenError as error:
            raise Refusal(422, str(error), "Idempotency-Key") from None
        finally:
            if accepted is None or accepted.id != name:
                await run_in_threadpool(shutil.rmtree, folder.path, True)
        self.dispatcher.notify(name)
        return accepted

    async def written(self, job: Job, ending: str) -> Path:
        """Write the best solution of a job to a file, which the caller deletes with its folder."""
        folder = self.incoming / secrets.token_hex(12)  # some formats write a second file
        folder.mkdir()
        target = folder / f"solution{ending}"
        try:
            await self._ask(
                {
                    "do": "write",
                    "folder": str(self.folder(job).path),
                    "target": str(target),
                    "milliseconds": round(1000 * job.elapsed),
                }
            )
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return target

    async def _ask(self, order: dict[str, Any]) -> dict[str, Any]:
        try:
            answer = await self._converters.ask(order)
        except BusyError as error:
            raise Refusal(429, str(error), retry_after=2) from None
        if answer.get("full"):
            raise OSError(errno.ENOSPC, "No space left on device")
        if "error" in answer:
            raise Refusal(422, str(answer["error"]), str(answer["field"]))
        return answer

    def _queue_full(self) -> Refusal:
        after = self.store.waiting_seconds(self.settings.workers)
        return Refusal(
            429, "the queue is full: try again after the time in Retry-After", retry_after=after
        )
