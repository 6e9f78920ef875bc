"""A few converter processes, each behind a thread that feeds it with orders."""

import asyncio
import json
import os
import select
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from sil.confined.process import ConfinedProcess
from sil.errors import SilError
from sil.threads import available_threads

_MOST_WAITING = 64
_ATTEMPTS = 2


class BusyError(SilError):
    """Too many uploads and downloads wait to be converted."""


class Converters:
    """Has uploads read and downloads written by confined processes.

    Parameters
    ----------
    folder
        Where the processes may put temporary files.
    count
        How many processes.
    memory_gb
        Limit on the address space of each.
    seconds
        Time for one order.
    """

    def __init__(self, folder: Path, count: int, memory_gb: float, seconds: float) -> None:
        self._folder, self._memory_gb, self._seconds = folder, memory_gb, seconds
        # Threads of this pool live until the end: processes die with the thread that starts them.
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="converter")
        self._own = threading.local()
        self._processes: set[ConfinedProcess] = set()
        self._waiting = 0

    async def ask(self, order: dict[str, Any]) -> dict[str, Any]:
        """Have an order carried out."""
        if self._waiting >= _MOST_WAITING:
            raise BusyError("too many uploads and downloads at the same time: try again later")
        self._waiting += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._pool, self._obeyed, order)
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """End the processes."""
        for process in list(self._processes):
            process.kill()
        self._pool.shutdown(cancel_futures=True)
        for process in list(self._processes):
            self._end(process)

    def _obeyed(self, order: dict[str, Any]) -> dict[str, Any]:
        for _ in range(_ATTEMPTS):  # the first process may have been killed from outside
            process = self._process()
            try:
                process.stdin.write(json.dumps(order).encode() + b"\n")
                process.stdin.flush()
                line = _line(process, self._seconds)
            except OSError:
                line = b""
            if line:
                answer: dict[str, Any] = json.loads(line)
                return answer
            has_ended = process.has_ended()
            no_memory = has_ended and process.ran_out_of_memory
            self._end(process)
            if no_memory:
                return {"error": "there is not enough memory for it", "field": "body"}
            if not has_ended:
                what = f"takes more than {self._seconds:g} s to convert: it is too large"
                return {"error": what, "field": "body"}
        return {"error": "cannot be converted: it ends the process that reads it", "field": "body"}

    def _process(self) -> ConfinedProcess:
        """Return the process of this thread; start one if there is none."""
        process: ConfinedProcess | None = getattr(self._own, "process", None)
        if process is not None and not process.has_ended():
            return process
        if process is not None:
            self._end(process)
        folder = self._folder / threading.current_thread().name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        arguments = [str(os.getpid()), str(self._memory_gb)]
        process = ConfinedProcess(
            "sil.serve.converter", arguments, folder, available_threads(), talks=True
        )
        self._processes.add(process)
        self._own.process = process
        return process

    def _end(self, process: ConfinedProcess) -> None:
        with process:
            pass
        self._processes.discard(process)
        self._own.process = None


def _line(process: ConfinedProcess, seconds: float) -> bytes:
    """Read a line; nothing if none comes in time."""
    end, said = time.monotonic() + seconds, b""
    handle = process.stdout.fileno()
    while not said.endswith(b"\n"):
        if not select.select([handle], [], [], max(0.0, end - time.monotonic()))[0]:
            return b""
        part = os.read(handle, 65_536)
        if not part:
            time.sleep(0.1)  # so that it can be asked how it ended
            return b""
        said += part
    return said
