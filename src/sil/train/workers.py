"""The processes and threads that share the work on many instances, and how they stop."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from sil._native import Interrupt
from sil.errors import StoppedError
from sil.solution import Solution
from sil.train.display import Display
from sil.train.pool import Pool
from sil.train.processes import Processes

T = TypeVar("T")


class Workers:
    """The threads of this process, and the other processes of the run.

    Methods that say so must be called by all processes in the same order.

    Parameters
    ----------
    processes
        All processes of the run.
    threads
        Threads of this one.
    interrupt
        When it is set in any process, `StoppedError` is raised in all of them.
    display
        Shows the progress of this process.
    """

    def __init__(
        self, processes: Processes, threads: int, interrupt: Interrupt, display: Display
    ) -> None:
        self.processes = processes
        self.threads = threads
        self.interrupt = interrupt
        self._display = display

    def share(self, pool: Pool) -> range:
        """Return the indices of the instances that this process works on."""
        return self.processes.share(range(len(pool)))

    def fill(self, pool: Pool, episode: int, solve: Callable[[int], Solution], doing: str) -> None:
        """Put a solution of each instance into the pool; all processes must come here.

        Parameters
        ----------
        pool
            The instances; those that have a solution of this episode are left as they are.
        episode
            The episode.
        solve
            Returns the solution of the instance with this index.
        doing
            What to show meanwhile.
        """
        missing = [index for index in self.share(pool) if not pool.has(index, episode)]

        def fill_mine() -> None:
            self._threaded(lambda index: pool.put(index, episode, solve(index)), missing, doing)
            pool.flush()

        self._all_finish(fill_mine)

    def each(self, work: Callable[[int], T], indices: range, doing: str) -> list[T]:
        """Do the work for each index of this process and return the results in order.

        All processes must come here.
        """
        return self._all_finish(lambda: self._threaded(work, indices, doing))

    def stop_if_asked(self) -> None:
        """Raise `StoppedError` if any process is to stop; all processes must come here."""
        if self.processes.any(self.interrupt.is_set()):
            raise StoppedError

    def wait_for_all(self) -> None:
        """Wait until all processes are here."""
        self.processes.any(False)

    def _threaded(self, work: Callable[[int], T], indices: Sequence[int], doing: str) -> list[T]:
        done = 0

        def counted(index: int) -> T:
            nonlocal done
            result = work(index)
            done += 1
            self._display.status(doing, done / len(indices))
            return result

        return side_by_side(counted, indices, self.threads, self.interrupt)

    def _all_finish(self, work: Callable[[], T]) -> T:
        """Do the part of this process; if any process was stopped, all are."""
        result: T | None = None
        with suppress(StoppedError):
            result = work()
        self.stop_if_asked()
        return result  # type: ignore[return-value]


def side_by_side(
    work: Callable[[int], T], indices: Iterable[int], threads: int, interrupt: Interrupt
) -> list[T]:
    """Do the work for each index, as many at a time as there are threads.

    After an interrupt, work in progress is finished; `StoppedError` says that some was not done.
    """

    def unless_stopped(index: int) -> T:
        StoppedError.raise_if(interrupt)
        return work(index)

    with ThreadPoolExecutor(threads) as executor:
        try:
            return list(executor.map(unless_stopped, indices))
        except KeyboardInterrupt:
            interrupt.set()
            raise
