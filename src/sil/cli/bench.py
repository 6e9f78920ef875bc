"""The commands ``sil bench``: one per suite, and the report."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from sil.bench.results import Results
from sil.bench.row import Row, Status
from sil.bench.suites import SUITES, Options, Scale, Suite
from sil.cli.common import INTERRUPTED, interruptible
from sil.errors import printable
from sil.threads import MOST_THREADS, available_threads

bench = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="""Run the paper's experiments, and other solvers on the same instances.

    Each suite adds its results to a folder, skips the runs that are there already, and writes a
    report at the end.

    A first look, in seconds: `sil bench uniform --scale smoke`

    The main comparison, at most 25 minutes on two cores: `sil bench uniform`

    To compare with other solvers, install them with `pip install 'sil-routing[bench]'`. For
    programs that are not Python packages, set the environment variables `LKH`, `HGS` and `FILO2`
    to their paths.
    """,
)

Out = Annotated[
    Path | None,
    typer.Option(help="Folder for results and report. Default: bench/SCALE."),
]
ScaleOption = Annotated[
    Scale,
    typer.Option(help="Size of the experiment: smoke (seconds), quick (minutes) or full (hours)."),
]
# Seconds after which methods without a time limit are killed.
_LONGEST = {Scale.SMOKE: 60.0, Scale.QUICK: 600.0, Scale.FULL: 4 * 3600.0}
Threads = Annotated[
    int | None,
    typer.Option(min=1, max=MOST_THREADS, help="Number of threads per run. Default: all cores."),
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
                hidden=not suite.uses_data,
                help="Folder with .tsp and .vrp files and a best_known.csv (columns instance and "
                "best_known). Its subfolder uniform/ may contain the paper's solutions of the 5K "
                "sets.",
            ),
        ] = None,
        weights: Annotated[
            list[Path] | None,
            typer.Option(
                exists=True,
                dir_okay=False,
                hidden=not suite.uses_weights,
                metavar="FILE",
                help="Weights file to compare with the shipped weights; may be repeated.",
            ),
        ] = None,
        peers: Annotated[
            bool, typer.Option(hidden=not suite.uses_peers, help="Run other solvers, too.")
        ] = True,
        threads: Threads = None,
        memory: Annotated[
            float, typer.Option(min=0.5, help="Memory limit per run, in gigabytes.")
        ] = 16.0,
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

        require_figures()  # fail before the runs, not after them
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
                    line = Text(_line(row))  # not markup, whatever the names look like
                    console.print(line, highlight=False, soft_wrap=True)

            complete = run_suite(suite.name, groups, folder, confines, show, interrupt)
            if complete:  # runs that were skipped have not been counted
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
    runs: Annotated[list[Path], typer.Argument(metavar="RUN", help="Folders of training runs.")],
    scale: Annotated[
        Scale, typer.Option(help="Which report to add them to, unless --out is given.")
    ] = Scale.QUICK,
    out: Out = None,
) -> None:
    """Add the progress of training runs to a report. Nothing is trained."""
    from sil.bench.report import collect_training

    folder = out or _folder(scale)
    collect_training(folder, runs)
    _finish(folder, complete=True)


def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder with results.")],
) -> None:
    """Write report.html (one self-contained page) and report.md from the results in a folder."""
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
        print("Stopped. Run the same command to resume.")
        raise typer.Exit(INTERRUPTED)
    for path in write_report(folder):
        print(f"written     {printable(path)}")


def _line(row: Row) -> str:
    """Describe a run in one line."""
    from sil.bench.tables import duration

    what = f"{row.cost:,.2f}" if row.cost is not None else str(row.status)
    gap = "" if row.gap_percent is None else f"{row.gap_percent:+.2f} %"
    took = duration(row.seconds_used)
    method, memory = row.method.title, f"{row.peak_mb:,.0f} MB"
    return f"{row.instance:<22}{method:<14}{what:>14}{gap:>10}{took:>9} {memory:>11}"
