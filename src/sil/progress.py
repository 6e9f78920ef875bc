"""Progress of a run on standard error: a live line on a terminal, plain lines otherwise."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sil.result import Progress, format_cost

_SECONDS_BETWEEN_LINES = 2.0


@contextmanager
def show_progress(max_runtime: float | None) -> Iterator[Callable[[Progress], None]]:
    """Give a callback for `sil.solve` that shows how it goes.

    Parameters
    ----------
    max_runtime
        Seconds that the run may take, to show how far it is; None if unlimited.
    """
    if sys.stderr.isatty():
        with _live(max_runtime) as callback:
            yield callback
    else:
        yield _plain()


def describe(progress: Progress) -> str:
    """Describe the progress in one line."""
    return f"round {progress.iteration:,}, cost {format_cost(progress.cost)}"


def _plain() -> Callable[[Progress], None]:
    shown = -_SECONDS_BETWEEN_LINES

    def callback(progress: Progress) -> None:
        nonlocal shown
        if progress.runtime - shown >= _SECONDS_BETWEEN_LINES:
            shown = progress.runtime
            print(f"{progress.runtime:8.1f} s  {describe(progress)}", file=sys.stderr, flush=True)

    return callback


@contextmanager
def _live(max_runtime: float | None) -> Iterator[Callable[[Progress], None]]:
    # Deferred: only a terminal needs them.
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Display

    display = Display(
        SpinnerColumn(),
        TimeElapsedColumn(),
        *([BarColumn(bar_width=20)] if max_runtime else []),
        TextColumn("{task.description}"),
        console=Console(stderr=True),
        transient=True,
    )
    with display:
        task = display.add_task("constructing a first solution", total=max_runtime)
        begun = time.perf_counter()

        def callback(progress: Progress) -> None:
            elapsed = time.perf_counter() - begun
            display.update(task, completed=elapsed, description=describe(progress))

        yield callback
