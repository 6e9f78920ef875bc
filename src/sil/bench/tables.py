"""Tables like the paper's: one row per method, one column per set."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from statistics import fmean

from sil.bench.cited import Cited, cited
from sil.bench.method_name import MethodName
from sil.bench.registry import SOLVERS
from sil.bench.row import Row, Status, percent_above
from sil.bench.sets import OWN_BEST
from sil.bench.suites import SUITES, Suite


@dataclass(frozen=True)
class Label:
    """What a row of a table or a line of a figure stands for.

    Parameters
    ----------
    method
        The method.
    threads
        Number of threads; None if all rows have the same.
    seconds
        Time limit; None if the method has only one per set.
    """

    method: MethodName
    threads: int | None = None
    seconds: float | None = None

    def __str__(self) -> str:
        text = self.method.title
        if self.threads is not None:
            text += f", {self.threads} thread{'s' if self.threads > 1 else ''}"
        return text if self.seconds is None else f"{text} {self.seconds:g} s"


@dataclass(frozen=True)
class Cell:
    """The results of a method on a set, as text.

    Parameters
    ----------
    value
        Mean cost or memory, or why there is none.
    gap
        Mean gap in percent.
    seconds
        Mean time.
    complete
        Whether every instance was solved, so that the means can be compared with others.
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
        The title.
    sets
        Names of the columns.
    heads
        Text below each name: the number of instances and the reference of the gaps.
    value
        Meaning of the first number of a cell.
    has_gaps
        Whether the second number is a gap; the last one is the time.
    measured
        Cells by label and set.
    cited
        Cells from the paper by its name of the method and our set.
    """

    title: str
    sets: list[str]
    heads: dict[str, str]
    value: str = "cost"
    has_gaps: bool = True
    measured: dict[Label, dict[str, Cell]] = field(default_factory=dict)
    cited: dict[str, dict[str, Cell]] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        """Meaning of the numbers of a cell."""
        return (self.value, "gap %", "time") if self.has_gaps else (self.value, "time")


def in_order(rows: Iterable[Row]) -> list[Row]:
    """Sort rows by suite, method and time limit, so that repeated runs do not change the order."""

    def place(row: Row) -> tuple[int, int, float]:
        # Without weights, so that a method with other weights follows the shipped one.
        return _rank(row.suite, SUITES), _rank(row.method.plain, SOLVERS), row.seconds_asked

    return sorted(rows, key=place)


def sets_by_size(rows: Iterable[Row]) -> list[str]:
    """List the sets of rows: TSP first, then by size."""
    places = sorted({(row.problem != "TSP", row.nodes, row.set_name) for row in rows})
    return list(dict.fromkeys(name for _, _, name in places))


def gaps(rows: Iterable[Row]) -> dict[Row, float]:
    """Compute the gap of each row in percent, given all rows of a folder.

    Gaps are to the reference if any row of the instance has one, otherwise to the best cost.
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


def labels(rows: Iterable[Row]) -> dict[Row, Label]:
    """Label each row by its method, and by its threads if these differ between the rows."""
    rows = list(rows)
    differ = len({row.threads for row in rows}) > 1
    return {row: Label(row.method, row.threads if differ else None) for row in rows}


def tables(suite: Suite, rows: list[Row]) -> list[Table]:
    """Make the tables of a suite, one per problem, given all rows of a folder."""
    by_problem: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row.suite == suite.name:
            by_problem[row.problem].append(row)
    gap = gaps(rows)
    origins = _origins(rows)
    order = sorted(by_problem, reverse=True)  # TSP first, as in the paper
    return [_table(suite, problem, by_problem[problem], gap, origins) for problem in order]


def _origins(rows: Iterable[Row]) -> dict[str, str]:
    """Name the reference of each set; if an instance has several, that of the smallest cost."""
    origins: dict[str, tuple[float, str]] = {}
    for row in rows:
        if row.reference is not None:
            found = row.reference, row.origin
            origins[row.set_name] = min(origins.get(row.set_name, found), found)
    return {name: origin for name, (_, origin) in origins.items()}


def _table(
    suite: Suite, problem: str, rows: list[Row], gap: dict[Row, float], origins: dict[str, str]
) -> Table:
    sets = sets_by_size(rows)
    instances = {name: {row.instance for row in rows if row.set_name == name} for name in sets}
    table = Table(f"{suite.name}, {problem}", sets, {})
    if suite.measures_memory:
        table.value, table.has_gaps = "added memory", False
    for name in sets:
        count = len(instances[name])
        against = f", gap to {origins.get(name, OWN_BEST)}" if table.has_gaps else ""
        table.heads[name] = f"{count} instance{'s' if count > 1 else ''}{against}"
    label_of = _labels_with_limits(rows)
    cells: dict[tuple[Label, str], list[Row]] = defaultdict(list)
    for row, label in label_of.items():
        cells[label, row.set_name].append(row)
    for (label, set_name), of in cells.items():
        if any(row.status is not Status.SKIPPED for row in of):
            cell = _cell(of, gap, len(instances[set_name]))
            table.measured.setdefault(label, {})[set_name] = cell
    _add_cited(table, suite, problem)
    if suite.has_mean:
        _add_gaps_of_cited(table)
        _add_means(table, label_of, gap)
    return table


def _add_cited(table: Table, suite: Suite, problem: str) -> None:
    for value in cited():
        of, _, part = value.table.partition("-")
        ours = _our_name(value, table.sets)
        if (of, value.problem) != (suite.name, problem) or ours is None:
            continue
        if suite.measures_memory:  # the paper has a table per part, and a unit instead of a time
            method = f"{value.method}, {part}"
            is_number = any(sign.isdigit() for sign in value.value)
            cell = Cell(f"{value.value} {value.time}" if is_number else value.value or value.note)
        else:
            method = value.method
            cell = Cell(value.value or value.note, value.gap_percent, value.time)
        table.cited.setdefault(method, {})[ours] = cell


def _add_gaps_of_cited(table: Table) -> None:
    """Add the gaps of the paper, to what was best known then: its row BKS."""
    best = {name: int(cell.value) for name, cell in table.cited.get("BKS", {}).items()}
    for cells in table.cited.values():
        for name, cell in cells.items():
            if name in best and cell.value.isdecimal():
                gap = percent_above(int(cell.value), best[name])
                cells[name] = replace(cell, gap=f"{gap:+.2f}")


def _add_means(table: Table, label_of: dict[Row, Label], gap: dict[Row, float]) -> None:
    """Add a column with the mean gap over all instances."""
    count = len(table.sets)
    mean = "mean"
    while mean in table.sets:  # an instance may have this name
        mean += " of all"
    table.sets.append(mean)
    table.heads[mean] = f"{count} instances, gap to best known"
    solved: dict[Label, list[float]] = defaultdict(list)
    for row, label in label_of.items():
        if row in gap:
            solved[label].append(gap[row])
    for label, cells in table.measured.items():
        cells[mean] = _mean_cell(solved[label], count)
    for cells in table.cited.values():
        cells[mean] = _mean_cell([float(cell.gap) for cell in cells.values() if cell.gap], count)


def _mean_cell(gaps_of: list[float], instances: int) -> Cell:
    if not gaps_of:
        return Cell(complete=False)
    complete = len(gaps_of) == instances
    share = "" if complete else f"{len(gaps_of)} of {instances}"
    return Cell(share, f"{fmean(gaps_of):+.2f}", complete=complete)


def skipped(rows: Iterable[Row]) -> dict[MethodName, str]:
    """Give the reasons for methods that were skipped everywhere."""
    reasons: dict[MethodName, dict[str, None]] = {}
    ran = set()
    for row in rows:
        if row.status is Status.SKIPPED:
            reasons.setdefault(row.method, {})[row.message] = None
        else:
            ran.add(row.method)
    return {method: "; ".join(why) for method, why in reasons.items() if method not in ran}


def _labels_with_limits(rows: list[Row]) -> dict[Row, Label]:
    """Label each row, with its time limit only if the method has several on a set."""
    limits: dict[tuple[MethodName, str], set[float]] = defaultdict(set)
    for row in rows:
        limits[row.method, row.set_name].add(row.seconds_asked)
    several = {method for (method, _), of in limits.items() if len(of) > 1}
    return {
        row: replace(label, seconds=row.seconds_asked) if row.method in several else label
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
    """Place of a name in a list; unknown names come last."""
    names = list(known)
    return names.index(name) if name in names else len(names)


def _our_name(value: Cited, sets: list[str]) -> str | None:
    """Find our set that corresponds to the paper's."""
    if value.table == "library":  # instances have the same names everywhere
        return value.set_name if value.set_name in sets else None
    name = value.set_name.lower()  # such as tsp10k
    drawn = name.removesuffix("k").replace("tsp", "tsp-") + "000"
    return next(
        (ours for ours in sets if ours in (name, drawn) or ours.startswith(f"{name}-c")), None
    )
