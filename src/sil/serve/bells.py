"""Wakes those who wait for news of a job, from any thread."""

import asyncio
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager


class Bells:
    """One bell for everyone who listens to a job. Listeners belong to one event loop."""

    def __init__(self) -> None:
        self._bells: dict[str, set[asyncio.Event]] = defaultdict(set)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()

    @contextmanager
    def listening(self, name: str) -> Iterator[asyncio.Event]:
        """Provide an event that is set when there are news of a job."""
        bell = asyncio.Event()
        with self._lock:
            self._loop = asyncio.get_running_loop()
            self._bells[name].add(bell)
        try:
            yield bell
        finally:
            with self._lock:
                self._bells[name].discard(bell)
                if not self._bells[name]:
                    del self._bells[name]

    def ring(self, name: str) -> None:
        """Wake all who listen to a job."""
        with self._lock:
            if name not in self._bells or self._loop is None or self._loop.is_closed():
                return
            self._loop.call_soon_threadsafe(self._ring_all, name)

    @property
    def listeners(self) -> int:
        """How many are listening."""
        return sum(map(len, self._bells.values()))

    def _ring_all(self, name: str) -> None:
        with self._lock:
            bells = list(self._bells.get(name, ()))
        for bell in bells:
            bell.set()
