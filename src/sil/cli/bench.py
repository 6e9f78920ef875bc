"""The commands ``sil bench``: one a suite, and the report."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from sil.bench.results import Results, Row, Status
from sil.bench.suites import SUITES, Options, Scale, Suite
from sil.cli.common import INTERRUPTED, interruptible
from sil.errors import printable
from sil.threads import MOST_THREADS, available_threads

bench = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="""Measure: the paper's experiments, and other solvers on the same instances.

    Each suite appends to one folder, does only what is missing there, and ends with the report.

    A first look, in seconds: `sil bench uniform --scale smoke`

    The table for people, within 25 minutes on two cores: `sil bench uniform`

    Solvers beside ours: `pip install 'sil-routing[bench]'`; programs are named by the
    environment variables `LKH`, `HGS` and `FILO2`.
    """,
)

Out = Annotated[
    Path | None,
    typer.Option(help="Folder of the results and the report. [default: bench/ and the scale]"),
]
ScaleOption = Annotated[
    Scale, typer.Option(help="smoke: seconds; quick: at most 25 minutes; full: hours.")
]
_LONGEST = {Scale.SMOKE: 60.0, Scale.QUICK: 600.0, Scale.FULL: 4 * 3600.0}  # of untimed methods
Threads = Annotated[
    int | None, typer.Option(min=1, max=MOST_THREADS, help="Of every run. [default: all cores]")
]


def _command(suite: Suite) -> Callable[..., None]:
    def measure(
        scale: ScaleOption = Scale.QUICK,
        out: Out = None,
        data: Annotated[
            Path | None,
            typer.Option(
                exists=True,
                file_okay=False,
                help="Folder with .tsp and .vrp files and best_known.csv (columns instance, "
                "best_known); its uniform/ may hold the paper's solutions of the 5K sets.",
            ),
        ] = None,
        weights: Annotated[
            list[Path] | None,
            typer.Option(
                exists=True,
                dir_okay=False,
                help="A policy to try beside the shipped one, for cross-size.",
            ),
        ] = None,
        peers: Annotated[bool, typer.Option(help="Run other solvers as well.")] = True,
        threads: Threads = None,
        memory: Annotated[float, typer.Option(min=0.5, help="Gigabytes a run may have.")] = 16.0,
    ) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
        )
        from rich.text import Text

        from sil.bench.report import require_figures
        from sil.bench.run import Confines, run_suite

        require_figures()  # rather than find out after all runs
        options = Options(scale, data, tuple(weights or ()), peers)
        confines = Confines(threads or available_threads(), memory, _LONGEST[scale])
        folder = out or _folder(scale)
        Results(folder).require_writable()
        groups = suite.groups(options)
        console = Console()
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
        )
        with interruptible() as interrupt, Progress(*columns, console=console) as progress:
            task = progress.add_task(suite.name, total=None)

            def show(row: Row, done: int, total: int) -> None:
                progress.update(task, completed=done, total=total)
                if row.status is not Status.SKIPPED:
                    line = Text(_line(row))  # names may look like markup
                    console.print(line, highlight=False, soft_wrap=True)

            complete = run_suite(suite.name, groups, folder, confines, show, interrupt)
            if complete:  # what was there already is not shown
                progress.update(task, completed=progress.tasks[task].total)
        _finish(folder, complete)

    measure.__doc__ = suite.about
    return measure


def distance_rank(
    scale: ScaleOption = Scale.QUICK, out: Out = None, threads: Threads = None
) -> None:
    """Measure how often the policy takes the nearest node, the second nearest, and so on."""
    from sil.bench.distance_rank import measure_ranks
    from sil.bench.report import require_figures

    require_figures()
    folder = out or _folder(scale)
    Results(folder).require_writable()
    with interruptible() as interrupt:
        complete = measure_ranks(folder, scale, threads or available_threads(), interrupt)
    _finish(folder, complete)


def training(
    runs: Annotated[list[Path], typer.Argument(help="Folders of `sil train`.")],
    scale: ScaleOption = Scale.QUICK,
    out: Out = None,
) -> None:
    """Add the progress of training runs to the report of a scale; nothing is trained."""
    from sil.bench.report import collect_training

    folder = out or _folder(scale)
    collect_training(folder, runs)
    _finish(folder, complete=True)


def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the results.")],
) -> None:
    """Write report.html, which needs nothing else, and report.md from what is in a folder."""
    _finish(folder, complete=True)


for _suite in SUITES.values():
    bench.command(_suite.name)(_command(_suite))
bench.command("distance-rank")(distance_rank)
bench.command("training")(training)
bench.command("report")(report)


def _folder(scale: Scale) -> Path:
    return Path("bench") / scale


def _finish(folder: Path, complete: bool) -> None:
    from sil.bench.report import write_report

    if not complete:
        print("stopped; the same command does what is missing")
        raise typer.Exit(INTERRUPTED)
    for path in write_report(folder):
        print(f"written     {printable(path)}")


def _line(row: Row) -> str:
    """Tell of a run in one line."""
    from sil.bench.tables import duration

    what = f"{row.cost:,.2f}" if row.cost is not None else str(row.status)
    gap = "" if row.gap_percent is None else f"{row.gap_percent:+.2f} %"
    took = duration(row.seconds_used)
    return f"{row.instance:<22}{row.method:<14}{what:>14}{gap:>10}{took:>9} {row.peak_mb:>8,.0f} MB"
