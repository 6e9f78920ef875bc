"""Figures of the report, as SVG and, where there are too many lines for it, as PNG."""

import base64
import io as streams
import re
import textwrap
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, TypeVar

from sil.bench.distance_rank import read_ranks
from sil.bench.methods import parts_of_name
from sil.bench.results import Row
from sil.bench.tables import labels, sets_by_size
from sil.errors import printable
from sil.plot import plot_solution
from sil.problem import Problem
from sil.solution import Solution
from sil.train.report import plot_training

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

T = TypeVar("T")
_SIZE = 5.2, 3.4  # inches of a panel
_TITLE_WIDTH = 56  # letters
_MARKERS = "osv^D<>Pxp*h"


def gaps_over_time(rows: list[Row], gap: dict[Row, float]) -> list[str]:
    """Draw the mean gap of every method against its mean time, a panel a set.

    Of the methods that solved every instance of the set, for only their means can be compared.
    """
    from matplotlib.ticker import LogFormatter

    class PlainNumbers(LogFormatter):
        """Labels the same ticks, with 0.2 instead of 2e-01."""

        def __call__(self, x: float, pos: int | None = None) -> str:
            return f"{x:g}" if super().__call__(x, pos) else ""

    label_of = labels(rows)
    instances: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        instances[row.set_name].add(row.instance)
    solved = [row for row in rows if row in gap]
    style = _styles(_line_of(row, label_of[row])[0] for row in solved)

    def panel(axes: "Axes", name: str) -> None:
        points: dict[str, dict[float, list[Row]]] = defaultdict(lambda: defaultdict(list))
        for row in solved:
            if row.set_name == name:
                line, budget = _line_of(row, label_of[row])
                points[line][budget].append(row)
        for method, by_budget in points.items():
            places = [
                (fmean(row.seconds_used for row in of), fmean(gap[row] for row in of))
                for _, of in sorted(by_budget.items())
                if len(of) == len(instances[name])
            ]
            if not places:
                continue
            times, means = zip(*places, strict=True)
            axes.plot(times, means, label=short_name(method), **style[method])
        # Near the best the differences are small, and random insertion is far away.
        axes.set(xscale="log", yscale="symlog", xlabel="seconds")
        _title(axes, name)
        axes.set_ylabel("mean gap in %")
        axes.margins(0.1)
        axes.xaxis.set_major_formatter("{x:g}")
        # Between powers of ten only where there are few of these.
        axes.xaxis.set_minor_formatter(PlainNumbers(minor_thresholds=(2, 0.4)))
        _legend(axes, loc="center left", bbox_to_anchor=(1.0, 0.5))

    return _panels(sets_by_size(solved), panel)


def _line_of(row: Row, label: str) -> tuple[str, float]:
    """Tell which line a run is part of, and by what budget: PRC10, PRC50 and so on are one."""
    rounds = re.fullmatch(r"PRC(\d+)(.*)", label)
    if rounds is None:
        return label, row.seconds_asked
    return f"PRC{rounds[2]}", float(rounds[1])


def _styles(lines: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Give every line a colour and a marker that are the same in all panels."""
    return {
        line: {"color": f"C{place}", "marker": _MARKERS[place % len(_MARKERS)], "markersize": 5}
        for place, line in enumerate(dict.fromkeys(lines))
    }


def over_nodes(rows: list[Row]) -> list[str]:
    """Draw time and memory of every method against the number of nodes."""
    label_of = labels(rows)
    style = _styles(label_of.values())
    panels = [
        (problem, quantity)
        for problem in dict.fromkeys(row.problem for row in rows)
        for quantity in ("seconds", "memory")
    ]

    def panel(axes: "Axes", of: tuple[str, str]) -> None:
        problem, quantity = of
        lines: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for row in rows:
            if row.problem == problem and row.status == "ok":
                memory = row.growth_mb if row.suite == "memory" else row.peak_mb
                value = row.seconds_used if quantity == "seconds" else memory
                lines[label_of[row]].append((row.nodes, value))
        for method, places in lines.items():
            label = short_name(method)
            axes.plot(*zip(*sorted(places), strict=True), label=label, **style[method])
        which = "added" if rows[0].suite == "memory" else "peak"
        unit = "seconds" if quantity == "seconds" else f"{which} memory in MB"
        axes.set(xscale="log", yscale="log", xlabel="nodes", ylabel=unit)
        _title(axes, problem)
        _legend(axes)

    return _panels(panels, panel)


def ranks(table: Path) -> list[str]:
    """Draw how often the policy takes the nearest node, the second nearest, and so on."""
    rows = read_ranks(table)

    def panel(axes: "Axes", problem: str) -> None:
        of = [row for row in rows if row.problem == problem]
        for column in ("policy", "labels"):
            places = [(row.rank, getattr(row, column)) for row in of]
            axes.plot(*zip(*places, strict=True), "o-", markersize=4, label=column)
        axes.set(yscale="log", xlabel="rank by distance", ylabel="probability")
        _title(axes, problem)
        _legend(axes)

    return _panels(list(dict.fromkeys(row.problem for row in rows)), panel)


def training(runs: dict[str, list[dict[str, float]]]) -> list[str]:
    """Draw the logs of training runs by name: label quality and policy quality over epochs."""

    def panel(axes: "Axes", run: str) -> None:
        plot_training(runs[run], axes)
        _title(axes, run)

    return _panels(list(runs), panel)


def picture(problem: Problem, solution: Solution) -> str:
    """Draw a solution, as the text of an image that can stand in a page."""
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
    """Draw a panel for each item; apart, so that they can stand below each other on a phone."""
    drawn = []
    for item in items:
        figure, axes = _pyplot().subplots(figsize=_SIZE, layout="constrained")
        draw(axes, item)
        axes.grid(alpha=0.3)
        drawn.append(_svg(figure))
    return drawn


def _svg(figure: "Figure") -> str:
    text = streams.StringIO()
    with _any_letter():
        figure.savefig(text, format="svg", metadata={"Date": None})
    _pyplot().close(figure)
    return text.getvalue()[text.getvalue().index("<svg") :]


def _title(axes: "Axes", text: str) -> None:
    """Write a title as it is, without formulas, in as many lines as it needs."""
    axes.set_title(textwrap.fill(printable(text), _TITLE_WIDTH), parse_math=False)


def _legend(axes: "Axes", **where: Any) -> None:
    for text in axes.legend(fontsize=7, **where).get_texts():
        text.set_parse_math(False)


@contextmanager
def _any_letter() -> Iterator[None]:
    """Let names have letters that the font has not; boxes stand for them."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


def _pyplot() -> Any:
    import matplotlib

    matplotlib.use("Agg")

    from matplotlib import pyplot

    pyplot.rcParams["svg.hashsalt"] = "sil"  # equal results give equal files
    return pyplot


def short_name(method: str) -> str:
    """Leave out most of the path of a weights file."""
    name, path, content = parts_of_name(method)
    weights = Path(path)
    return f"{name} with {weights.parent.name}/{weights.name} ({content})" if path else name
