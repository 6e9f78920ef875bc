"""Tables like the paper's: a row a method, a column a set."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from statistics import fmean

from sil.bench.cited import Cited, cited
from sil.bench.methods import METHODS
from sil.bench.results import Row, Status, percent_above
from sil.bench.suites import SUITES

_BEST = "best of this benchmark"


@dataclass(frozen=True)
class Cell:
    """What a method did on a set, as text.

    Parameters
    ----------
    value
        Mean cost, or memory, or why there is none.
    gap
        Mean gap in percent.
    seconds
        Mean time.
    complete
        Whether it solved every instance, so that its means can be compared with others.
    """

    value: str = ""
    gap: str = ""
    seconds: str = ""
    complete: bool = True


@dataclass
class Table:
    """Methods against sets.

    Parameters
    ----------
    title
        What it is about.
    sets
        Names of its columns.
    heads
        What stands under each name: how many instances, and what gaps are measured against.
    value
        What the first figure of a cell is.
    has_gaps
        Whether the second one is a gap; the last is the time.
    measured
        Cells by method and set.
    cited
        The same from the paper.
    """

    title: str
    sets: list[str]
    heads: dict[str, str]
    value: str = "cost"
    has_gaps: bool = True
    measured: dict[str, dict[str, Cell]] = field(default_factory=dict)
    cited: dict[str, dict[str, Cell]] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        """What the figures of a cell are."""
        return (self.value, "gap %", "time") if self.has_gaps else (self.value, "time")


def in_order(rows: Iterable[Row]) -> list[Row]:
    """Sort rows by suite, method and time limit: the same whichever run was done again."""

    def place(row: Row) -> tuple[int, int, float]:
        plain = row.method.partition("@")[0]  # with other weights it stands beside it
        return _rank(row.suite, SUITES), _rank(plain, METHODS), row.seconds_asked

    return sorted(rows, key=place)


def sets_by_size(rows: Iterable[Row]) -> list[str]:
    """Name the sets of rows: those of TSP first, then by size."""
    places = sorted({(row.problem != "TSP", row.nodes, row.set_name) for row in rows})
    return list(dict.fromkeys(name for _, _, name in places))


def gaps(rows: Iterable[Row]) -> dict[Row, float]:
    """Find each row's gap in percent, to a reference if any row of its instance has one.

    Otherwise to the best of all these rows; so they are to be all rows of a folder.
    """
    solved = [row for row in rows if row.cost is not None]
    best: dict[tuple[str, str], float] = {}
    known: dict[tuple[str, str], float] = {}
    for row in solved:
        assert row.cost is not None
        instance = row.set_name, row.instance
        best[instance] = min(best.get(instance, row.cost), row.cost)
        if row.reference is not None:  # a best known cost can only fall
            known[instance] = min(known.get(instance, row.reference), row.reference)
    against = best | known
    return {
        row: percent_above(row.cost, against[row.set_name, row.instance])
        for row in solved
        if row.cost is not None
    }


def labels(rows: Iterable[Row]) -> dict[Row, str]:
    """Name the method of each row, with the threads if the rows differ in them."""
    rows = list(rows)
    differ = len({row.threads for row in rows}) > 1
    return {row: f"{row.method}, {row.threads} threads" if differ else row.method for row in rows}


def tables(suite: str, rows: list[Row]) -> list[Table]:
    """Make the tables of a suite, one a problem, from all rows of a folder."""
    by_problem: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row.suite == suite:
            by_problem[row.problem].append(row)
    gap = gaps(rows)
    origins = _origins(rows)
    order = sorted(by_problem, reverse=True)  # TSP first, as in the paper
    return [_table(suite, problem, by_problem[problem], gap, origins) for problem in order]


def _origins(rows: Iterable[Row]) -> dict[str, str]:
    """Tell what the gaps of each set are measured against; for a single instance, the smallest."""
    origins: dict[str, tuple[float, str]] = {}
    for row in rows:
        if row.reference is not None:
            found = row.reference, row.origin
            origins[row.set_name] = min(origins.get(row.set_name, found), found)
    return {name: origin for name, (_, origin) in origins.items()}


def _table(
    suite: str, problem: str, rows: list[Row], gap: dict[Row, float], origins: dict[str, str]
) -> Table:
    sets = sets_by_size(rows)
    instances = {name: {row.instance for row in rows if row.set_name == name} for name in sets}
    table = Table(f"{suite}, {problem}", sets, {})
    if suite == "memory":
        table.value, table.has_gaps = "added memory", False
    for name in sets:
        count = len(instances[name])
        against = f", gap to {origins.get(name, _BEST)}" if table.has_gaps else ""
        table.heads[name] = f"{count} instance{'s' if count > 1 else ''}{against}"
    label_of = _labels_with_limits(rows)
    cells: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row, label in label_of.items():
        cells[label, row.set_name].append(row)
    for (method, set_name), of in cells.items():
        if any(row.status is not Status.SKIPPED for row in of):
            cell = _cell(of, gap, len(instances[set_name]))
            table.measured.setdefault(method, {})[set_name] = cell
    _add_cited(table, suite, problem)
    if suite == "library":
        _add_gaps_of_cited(table)
        _add_means(table, label_of, gap)
    return table


def _add_cited(table: Table, suite: str, problem: str) -> None:
    for figure in cited():
        of, _, part = figure.table.partition("-")
        ours = _our_name(figure, table.sets)
        if (of, figure.problem) != (suite, problem) or ours is None:
            continue
        method = f"{figure.method}, {part}" if of == "memory" else figure.method
        value, time = figure.value or figure.note, figure.time
        if of == "memory":
            has_unit = any(sign.isdigit() for sign in value)
            value, time = f"{value} {time}" if has_unit else value, ""
        cell = Cell(value, figure.gap_percent, time)
        table.cited.setdefault(method, {})[ours] = cell


def _add_gaps_of_cited(table: Table) -> None:
    """Add the gaps of the paper, to what was best known then: that is a row of its own there."""
    best = {name: int(cell.value) for name, cell in table.cited.get("BKS", {}).items()}
    for cells in table.cited.values():
        for name, cell in cells.items():
            if name in best and cell.value.isdecimal():
                gap = percent_above(int(cell.value), best[name])
                cells[name] = replace(cell, gap=f"{gap:+.2f}")


def _add_means(table: Table, label_of: dict[Row, str], gap: dict[Row, float]) -> None:
    """Add a column with the mean gap over all instances."""
    count = len(table.sets)
    mean = "mean"
    while mean in table.sets:  # an instance may be called so
        mean += " of all"
    table.sets.append(mean)
    table.heads[mean] = f"{count} instances, gap to best known"
    solved: dict[str, list[float]] = defaultdict(list)
    for row, label in label_of.items():
        if row in gap:
            solved[label].append(gap[row])
    for method, cells in table.measured.items():
        cells[mean] = _mean_cell(solved[method], count)
    for cells in table.cited.values():
        cells[mean] = _mean_cell([float(cell.gap) for cell in cells.values() if cell.gap], count)


def _mean_cell(gaps_of: list[float], instances: int) -> Cell:
    if not gaps_of:
        return Cell(complete=False)
    complete = len(gaps_of) == instances
    share = "" if complete else f"{len(gaps_of)} of {instances}"
    return Cell(share, f"{fmean(gaps_of):+.2f}", complete=complete)


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


def _labels_with_limits(rows: list[Row]) -> dict[Row, str]:
    """Name the rows in their table; with the time limit only if a method has several on a set."""
    limits: dict[tuple[str, str], set[float]] = defaultdict(set)
    for row in rows:
        limits[row.method, row.set_name].add(row.seconds_asked)
    several = {method for (method, _), of in limits.items() if len(of) > 1}
    return {
        row: f"{label} {row.seconds_asked:g} s" if row.method in several else label
        for row, label in labels(rows).items()
    }


def _cell(rows: list[Row], gap: dict[Row, float], instances: int) -> Cell:
    solved = [row for row in rows if row.status is Status.OK]
    if not solved:
        return Cell(str(rows[0].status), complete=False)
    seconds = duration(fmean(row.seconds_used for row in solved))
    complete = len(solved) == instances
    share = "" if complete else f" ({len(solved)} of {instances})"
    costs = [row.cost for row in solved if row.cost is not None]
    if not costs:
        growth = max(row.growth_mb for row in solved)
        return Cell(f"{growth:,.0f} MB{share}", "", seconds, complete)
    mean_gap = fmean(gap[row] for row in solved)
    return Cell(_number(fmean(costs)) + share, f"{mean_gap:+.2f}", seconds, complete)


def _number(cost: float) -> str:
    return f"{cost:.2f}" if cost < 10_000 else f"{cost:,.0f}"


def duration(seconds: float) -> str:
    """Write a time as the paper does."""
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"


def _rank(name: str, known: Iterable[str]) -> int:
    """Place of a name among the known ones; others come last."""
    names = list(known)
    return names.index(name) if name in names else len(names)


def _our_name(figure: Cited, sets: list[str]) -> str | None:
    """Find our set that corresponds to the paper's."""
    if figure.table == "library":
        return figure.set_name if figure.set_name in sets else None
    name = figure.set_name.lower()  # such as tsp10k
    drawn = name.removesuffix("k").replace("tsp", "tsp-") + "000"
    return next(
        (ours for ours in sets if ours in (name, drawn) or ours.startswith(f"{name}-c")), None
    )
