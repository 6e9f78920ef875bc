"""Progress of a run on standard error: a live line on a terminal, plain lines otherwise."""

import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sil._native import Interrupt
from sil.result import Progress
from sil.stop import Stop, time_left, used
from sil.units import format_cost

if TYPE_CHECKING:
    from rich.progress_bar import ProgressBar

_SECONDS_BETWEEN_LINES = 2.0


class _Report:
    """The latest progress of a run, which can be shown at any time, also within a round."""

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
        """Share of the run that is done, from 0 to 1; None if its end is not known."""
        shares = [used(self._stop)]
        if self._seconds < math.inf:
            shares.append(min(1.0, self.elapsed / self._seconds) if self._seconds else 1.0)
        return max((share for share in shares if share is not None), default=None)

    def __str__(self) -> str:
        if self._last is None:
            return "constructing the initial solution"
        inside = self._interrupt.fraction
        current = f", next round {inside:.0%} done" if 0 < inside < 1 else ""
        return f"round {self._last.iteration:,}, cost {format_cost(self._last.cost)}{current}"


@contextmanager
def show_progress(stop: Stop, interrupt: Interrupt) -> Iterator[Callable[[Progress], None]]:
    """Provide a callback for `sil.solve` that shows the progress.

    Parameters
    ----------
    stop
        The stopping criterion of the run, which knows how much of the budget is used.
    interrupt
        The interrupt of the run, which knows how much of a round is done.
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
    # A separate thread, so that lines are printed during long rounds, too.
    thread = threading.Thread(target=keep_showing, daemon=True)
    thread.start()
    try:
        yield callback
    finally:
        over.set()
        thread.join()


@contextmanager
def _live(report: _Report) -> Iterator[Callable[[Progress], None]]:
    # Imported here, because only a terminal needs them.
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
