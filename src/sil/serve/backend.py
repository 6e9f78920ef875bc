"""Where jobs run: the interface, so that they can run elsewhere than on this machine."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from sil.serve.job import Folder, Job


class End(StrEnum):
    """How an attempt at a job ended."""

    FINISHED = "finished"
    LOST = "lost"  # killed from outside, or crashed; another attempt may succeed
    HOPELESS = "hopeless"  # another attempt would end in the same way


@dataclass(frozen=True)
class Attempt:
    """What came of an attempt.

    Parameters
    ----------
    end
        How it ended.
    message
        What went wrong, in words.
    shares
        The share of each reconstructor, as JSON.
    """

    end: End
    message: str = ""
    shares: str = "[]"


class Backend(Protocol):
    """Runs jobs."""

    def run(
        self,
        job: Job,
        folder: Folder,
        slot: int,
        on_progress: Callable[[dict[str, Any]], None],
        should_stop: Callable[[], bool],
        should_vanish: Callable[[], bool],
    ) -> Attempt:
        """Work on a job until its time is up; return when nothing of it runs any more.

        Parameters
        ----------
        job
            The job; if it has been worked on before, only the time left remains.
        folder
            Has the problem and the best solution so far, which is replaced by better ones.
        slot
            Number of the place where it runs, from 0 to the number of workers.
        on_progress
            Called with elapsed seconds, rounds, cost and number of routes, after the solution of
            this cost has been saved.
        should_stop
            Whether to stop soon and keep the best.
        should_vanish
            Whether to stop at once, because the job was deleted or the service ends.
        """
        ...
