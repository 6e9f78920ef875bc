"""Tables like the paper's: a row a method, a column a set."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from sil.bench.cited import cited
from sil.bench.results import Row, Status

_BEST = "best of this benchmark"


@dataclass(frozen=True)
class Cell:
    """What a method did on a set, as text.

    Parameters
    ----------
    cost
        Mean cost, or why there is none.
    gap
        Mean gap in percent.
    seconds
        Mean time.
    """

    cost: str = ""
    gap: str = ""
    seconds: str = ""


@dataclass
class Table:
    """Methods against sets.

    Parameters
    ----------
    title
        What it is about.
    sets
        Names of its columns.
    references
        What the gaps of each set are measured against.
    measured
        Cells by method and set.
    cited
        The same from the paper.
    """

    title: str
    sets: list[str]
    references: dict[str, str]
    measured: dict[str, dict[str, Cell]] = field(default_factory=dict)
    cited: dict[str, dict[str, Cell]] = field(default_factory=dict)


def gaps(rows: Iterable[Row]) -> dict[Row, float]:
    """Find each row's gap in percent, to its reference or else to the best of these rows."""
    solved = [row for row in rows if row.cost is not None]
    best: dict[tuple[str, str], float] = defaultdict(lambda: float("inf"))
    for row in solved:
        assert row.cost is not None
        best[row.set_name, row.instance] = min(best[row.set_name, row.instance], row.cost)
    return {
        row: 100 * (row.cost / (row.reference or best[row.set_name, row.instance]) - 1)
        for row in solved
        if row.cost is not None
    }


def tables(suite: str, rows: list[Row]) -> list[Table]:
    """Make the tables of a suite, one a problem."""
    by_problem: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row.suite == suite:
            by_problem[row.problem].append(row)
    return [_table(suite, problem, of) for problem, of in by_problem.items()]


def _table(suite: str, problem: str, rows: list[Row]) -> Table:
    sets = sorted({row.set_name for row in rows}, key=lambda name: _size(name, rows))
    origins = {row.set_name: row.origin if row.reference else _BEST for row in rows}
    table = Table(f"{suite}, {problem}", sets, origins)
    gap = gaps(rows)
    cells: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        cells[_label(row, rows), row.set_name].append(row)
    for (method, set_name), of in cells.items():
        if any(row.status is not Status.SKIPPED for row in of):
            table.measured.setdefault(method, {})[set_name] = _cell(of, gap)
    for figure in cited():
        ours = _our_name(figure.table, figure.set_name, sets)
        if ours and (figure.table, figure.problem) == (suite, problem):
            cell = Cell(figure.value or figure.note, figure.gap_percent, figure.time)
            table.cited.setdefault(figure.method, {})[ours] = cell
    if suite == "library":
        _add_means(table, problem, rows, gap)
    return table


def _add_means(table: Table, problem: str, rows: list[Row], gap: dict[Row, float]) -> None:
    """Add a column with the mean gap over all instances."""
    table.sets.append("mean")
    table.references["mean"] = "best known"
    for method, cells in table.measured.items():
        of = [gap[row] for row in rows if row in gap and _label(row, rows) == method]
        everywhere = len(of) == len(table.sets) - 1
        cells["mean"] = Cell(gap=f"{sum(of) / len(of):+.2f}") if everywhere else Cell()
    for figure in cited():
        if (figure.table, figure.problem, figure.set_name) == ("library-mean", problem, "all8"):
            cell = Cell("of the paper's eight", figure.gap_percent, figure.time)
            table.cited.setdefault(figure.method, {})["mean"] = cell


def skipped(rows: Iterable[Row]) -> dict[str, str]:
    """Tell why methods were left out everywhere; those that ran somewhere are not named."""
    reasons: dict[str, dict[str, None]] = {}
    ran = set()
    for row in rows:
        if row.status is Status.SKIPPED:
            reasons.setdefault(row.method, {})[row.message] = None
        else:
            ran.add(row.method)
    return {method: "; ".join(why) for method, why in reasons.items() if method not in ran}


def _label(row: Row, rows: list[Row]) -> str:
    """Name a row in its table; the time limit only if it is one of several in its set."""
    limits = {
        other.seconds_asked
        for other in rows
        if (other.method, other.set_name) == (row.method, row.set_name)
    }
    return f"{row.method} {row.seconds_asked:g} s" if len(limits) > 1 else row.method


def _cell(rows: list[Row], gap: dict[Row, float]) -> Cell:
    solved = [row for row in rows if row.status is Status.OK]
    if not solved:
        return Cell(str(rows[0].status))
    seconds = duration(sum(row.seconds_used for row in solved) / len(solved))
    share = "" if len(solved) == len(rows) else f" ({len(solved)} of {len(rows)})"
    costs = [row.cost for row in solved if row.cost is not None]
    if not costs:
        peak = max(row.peak_mb for row in solved)
        return Cell(f"{peak:,.0f} MB{share}", "", seconds)
    mean_gap = sum(gap[row] for row in solved) / len(solved)
    return Cell(_number(sum(costs) / len(costs)) + share, f"{mean_gap:+.2f}", seconds)


def _number(cost: float) -> str:
    return f"{cost:.2f}" if cost < 10_000 else f"{cost:,.0f}"


def duration(seconds: float) -> str:
    """Write a time as the paper does."""
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"


def _size(set_name: str, rows: list[Row]) -> tuple[int, str]:
    return max(row.nodes for row in rows if row.set_name == set_name), set_name


def _our_name(table: str, papers: str, sets: list[str]) -> str | None:
    """Find our set that corresponds to one of the paper's."""
    name = papers.lower()
    if table == "library":
        return papers if papers in sets else None
    return next((ours for ours in sets if ours == name or ours.startswith(f"{name}-c")), None)
