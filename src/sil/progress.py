"""Progress of a run on standard error: a live line on a terminal, plain lines otherwise."""

import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sil._native import Interrupt
from sil.result import Progress, format_cost
from sil.stop import Stop, time_left, used

if TYPE_CHECKING:
    from rich.progress_bar import ProgressBar

_SECONDS_BETWEEN_LINES = 2.0


class _Report:
    """The last progress of a run, told anew at any moment, also inside a round."""

    def __init__(self, stop: Stop, interrupt: Interrupt) -> None:
        self._stop = stop
        self._interrupt = interrupt
        self._last: Progress | None = None
        self._begun = time.perf_counter()
        self._seconds = time_left(stop)

    def update(self, progress: Progress) -> None:
        self._last = progress

    @property
    def elapsed(self) -> float:
        return time.perf_counter() - self._begun

    @property
    def done(self) -> float | None:
        """How much of the run is done, from 0 to 1; None if its end is not known."""
        shares = [used(self._stop)]
        if self._seconds < math.inf:
            shares.append(min(1.0, self.elapsed / self._seconds) if self._seconds else 1.0)
        return max((share for share in shares if share is not None), default=None)

    def __str__(self) -> str:
        if self._last is None:
            return "constructing a first solution"
        inside = self._interrupt.fraction
        under_way = f", next {inside:.0%} done" if 0 < inside < 1 else ""
        return f"round {self._last.iteration:,}, cost {format_cost(self._last.cost)}{under_way}"


@contextmanager
def show_progress(stop: Stop, interrupt: Interrupt) -> Iterator[Callable[[Progress], None]]:
    """Give a callback for `sil.solve` that shows how it goes.

    Parameters
    ----------
    stop
        The run's own, which knows how much of its budget is used.
    interrupt
        The run's own, which knows how far a round has come.
    """
    report = _Report(stop, interrupt)
    with _live(report) if sys.stderr.isatty() else _plain(report) as callback:
        yield callback


@contextmanager
def _plain(report: _Report) -> Iterator[Callable[[Progress], None]]:
    def show() -> None:
        print(f"{report.elapsed:8.1f} s  {report}", file=sys.stderr, flush=True)

    def keep_showing() -> None:
        while not over.wait(_SECONDS_BETWEEN_LINES):
            show()

    def callback(progress: Progress) -> None:
        report.update(progress)
        if progress.iteration == 0:
            show()

    over = threading.Event()
    # A thread of its own, so that lines come during long rounds too.
    thread = threading.Thread(target=keep_showing, daemon=True)
    thread.start()
    try:
        yield callback
    finally:
        over.set()
        thread.join()


@contextmanager
def _live(report: _Report) -> Iterator[Callable[[Progress], None]]:
    # Deferred: only a terminal needs them.
    from rich.console import Console
    from rich.progress import Progress as Display
    from rich.progress import ProgressColumn, SpinnerColumn, Task, TimeElapsedColumn
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    class Described(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(str(report))

    class Bar(ProgressColumn):
        def render(self, task: Task) -> "ProgressBar":
            return ProgressBar(total=1.0, completed=report.done or 0.0, width=20)

    bar = [] if report.done is None else [Bar()]
    display = Display(
        SpinnerColumn(),
        TimeElapsedColumn(),
        *bar,
        Described(),
        console=Console(stderr=True),
        transient=True,
    )
    with display:
        display.add_task("", total=None)
        yield report.update
