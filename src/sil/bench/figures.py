"""Figures of the report: SVG, or PNG for maps, which have too many lines for SVG."""

import base64
import io as streams
import textwrap
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, TypeVar

from sil.bench.distance_rank import read_ranks
from sil.bench.row import Row, Status
from sil.bench.suites import Figure, Suite
from sil.bench.tables import Label, labels, sets_by_size
from sil.errors import printable
from sil.plot import plot_solution
from sil.problem import Problem
from sil.solution import Solution
from sil.train.log import LogRow
from sil.train.report import plot_training

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

T = TypeVar("T")
_SIZE = 5.2, 3.4  # inches of a panel
_TITLE_WIDTH = 56  # characters
_MARKERS = "osv^D<>Pxp*h"


def suite_figures(suite: Suite, rows: list[Row], gap: dict[Row, float]) -> list[str]:
    """Draw the figures of a suite.

    Parameters
    ----------
    suite
        The suite, which chooses the figure.
    rows
        Its rows.
    gap
        The gaps of all rows in percent.
    """
    match suite.figure:
        case Figure.GAPS_OVER_TIME:
            return gaps_over_time(rows, gap)
        case Figure.OVER_NODES:
            return over_nodes(rows, added_memory=suite.measures_memory)


def gaps_over_time(rows: list[Row], gap: dict[Row, float]) -> list[str]:
    """Draw the mean gap of every method against its mean time, one panel per set.

    Only methods that solved every instance of a set are shown, because only their means can be
    compared.
    """
    from matplotlib.ticker import LogFormatter

    class PlainNumbers(LogFormatter):
        """Labels the same ticks as its base class, but writes 0.2 instead of 2e-01."""

        def __call__(self, x: float, pos: int | None = None) -> str:
            return f"{x:g}" if super().__call__(x, pos) else ""

    label_of = labels(rows)
    instances: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        instances[row.set_name].add(row.instance)
    solved = [row for row in rows if row in gap]
    style = _styles(_line_of(row, label_of[row])[0] for row in solved)

    def panel(axes: "Axes", name: str) -> None:
        points: dict[Label, dict[float, list[Row]]] = defaultdict(lambda: defaultdict(list))
        for row in solved:
            if row.set_name == name:
                line, budget = _line_of(row, label_of[row])
                points[line][budget].append(row)
        for line, by_budget in points.items():
            places = [
                (fmean(row.seconds_used for row in of), fmean(gap[row] for row in of))
                for _, of in sorted(by_budget.items())
                if len(of) == len(instances[name])
            ]
            if not places:
                continue
            times, means = zip(*places, strict=True)
            axes.plot(times, means, label=str(line), **style[line])
        # Differences near the best are small, while random insertion is far away.
        axes.set(xscale="log", yscale="symlog", xlabel="seconds")
        _title(axes, name)
        axes.set_ylabel("mean gap in %")
        axes.margins(0.1)
        axes.xaxis.set_major_formatter("{x:g}")
        # Label ticks between powers of ten only if there are few powers of ten.
        axes.xaxis.set_minor_formatter(PlainNumbers(minor_thresholds=(2, 0.4)))
        _legend(axes, loc="center left", bbox_to_anchor=(1.0, 0.5))

    return _panels(sets_by_size(solved), panel)


def _line_of(row: Row, label: Label) -> tuple[Label, float]:
    """Return the line that a run belongs to and its budget; PRC10, PRC50, … are one line."""
    rounds = row.method.rounds
    if rounds is None:
        return label, row.seconds_asked
    return replace(label, method=row.method.without_rounds()), float(rounds)


def _styles(lines: Iterable[Label]) -> dict[Label, dict[str, Any]]:
    """Give every line a colour and a marker that are the same in all panels."""
    return {
        line: {"color": f"C{place}", "marker": _MARKERS[place % len(_MARKERS)], "markersize": 5}
        for place, line in enumerate(dict.fromkeys(lines))
    }


def over_nodes(rows: list[Row], added_memory: bool = False) -> list[str]:
    """Draw time and memory of every method against the number of nodes.

    Parameters
    ----------
    rows
        The runs.
    added_memory
        Whether to show the memory that a run adds, instead of its peak.
    """
    label_of = labels(rows)
    style = _styles(label_of.values())
    memory_axis = f"{'added' if added_memory else 'peak'} memory in MB"

    def memory(row: Row) -> float:
        return row.growth_mb if added_memory else row.peak_mb

    def seconds(row: Row) -> float:
        return row.seconds_used

    panels = [
        (problem, quantity, axis)
        for problem in dict.fromkeys(row.problem for row in rows)
        for quantity, axis in ((seconds, "seconds"), (memory, memory_axis))
    ]

    def panel(axes: "Axes", of: tuple[str, Callable[[Row], float], str]) -> None:
        problem, quantity, axis = of
        lines: dict[Label, list[tuple[int, float]]] = defaultdict(list)
        for row in rows:
            if row.problem == problem and row.status is Status.OK:
                lines[label_of[row]].append((row.nodes, quantity(row)))
        for line, places in lines.items():
            axes.plot(*zip(*sorted(places), strict=True), label=str(line), **style[line])
        axes.set(xscale="log", yscale="log", xlabel="nodes", ylabel=axis)
        _title(axes, problem)
        _legend(axes)

    return _panels(panels, panel)


def ranks(table: Path) -> list[str]:
    """Draw how often the policy takes the nearest node, the second nearest, and so on."""
    rows = read_ranks(table)

    def panel(axes: "Axes", problem: str) -> None:
        of = [row for row in rows if row.problem == problem]
        places = [row.rank for row in of]
        for name, shares in (
            ("policy", [row.policy for row in of]),
            ("labels", [row.labels for row in of]),
        ):
            axes.plot(places, shares, "o-", markersize=4, label=name)
        axes.set(yscale="log", xlabel="rank by distance", ylabel="probability")
        _title(axes, problem)
        _legend(axes)

    return _panels(list(dict.fromkeys(row.problem for row in rows)), panel)


def training(runs: Mapping[str, list[LogRow]]) -> list[str]:
    """Draw the logs of training runs, by name: quality of labels and policy over the epochs."""

    def panel(axes: "Axes", run: str) -> None:
        plot_training(runs[run], axes)
        _title(axes, run)

    return _panels(list(runs), panel)


def picture(problem: Problem, solution: Solution) -> str:
    """Draw a solution as a data URL, which can be embedded in a page."""
    pyplot = _pyplot()
    figure, axes = pyplot.subplots(figsize=(5, 5))
    plot_solution(solution, problem, axes)
    _title(axes, axes.get_title())
    data = streams.BytesIO()
    with _any_letter():
        figure.savefig(data, format="png", dpi=110, bbox_inches="tight")
    pyplot.close(figure)
    return "data:image/png;base64," + base64.b64encode(data.getvalue()).decode()


def _panels(items: list[T], draw: Callable[["Axes", T], None]) -> list[str]:
    """Draw one image per item, so that a narrow screen can show them below each other."""
    drawn = []
    for item in items:
        figure, axes = _pyplot().subplots(figsize=_SIZE, layout="constrained")
        draw(axes, item)
        axes.grid(alpha=0.3)
        drawn.append(_svg(figure))
    return drawn


def _svg(figure: "Drawing") -> str:
    text = streams.StringIO()
    with _any_letter():
        figure.savefig(text, format="svg", metadata={"Date": None})
    _pyplot().close(figure)
    return text.getvalue()[text.getvalue().index("<svg") :]


def _title(axes: "Axes", text: str) -> None:
    """Set a title literally, without formulas, on as many lines as it needs."""
    axes.set_title(textwrap.fill(printable(text), _TITLE_WIDTH), parse_math=False)


def _legend(axes: "Axes", **where: Any) -> None:
    for text in axes.legend(fontsize=7, **where).get_texts():
        text.set_parse_math(False)


@contextmanager
def _any_letter() -> Iterator[None]:
    """Allow letters that the font does not have; they are drawn as boxes."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


def _pyplot() -> Any:
    import matplotlib

    matplotlib.use("Agg")

    from matplotlib import pyplot

    pyplot.rcParams["svg.hashsalt"] = "sil"  # equal results give equal files
    return pyplot
