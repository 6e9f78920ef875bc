"""Problems as csv: columns x, y and, for CVRP, demand; the first row is the depot.

Solutions as csv: columns route, stop and node, one row per visit.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sil.errors import InputError, excerpt
from sil.io.atomic import replacing
from sil.problem import Problem
from sil.solution import Solution
from sil.validate import clean_name

_COLUMNS = {("x", "y"), ("x", "y", "demand")}


def read_problem(path: Path, capacity: int | None = None) -> Problem:
    """Read a csv file with a header; distances are exact Euclidean.

    Parameters
    ----------
    path
        The file.
    capacity
        Vehicle capacity, needed if there are demands.
    """
    text = path.read_text(encoding="utf-8-sig")
    lines = text.split("\n")
    header = tuple(name.strip().lower() for name in lines[0].split(",", 3))
    if header not in _COLUMNS:
        raise InputError("line 1: the header must be 'x,y' for TSP or 'x,y,demand' for CVRP")
    if not text.endswith("\n"):
        raise InputError(
            f"line {len(lines)}: the last line has no line break: is the file complete?"
        )
    rows = _rows(lines[1:], len(header))
    if len(header) == 2:
        if capacity is not None:
            raise InputError("a capacity needs a column 'demand'")
        return Problem(rows, name=clean_name(path.stem))
    if capacity is None:
        raise InputError(
            "demands need a capacity, which a csv file cannot contain: give it separately, on the "
            "command line with --capacity"
        )
    return Problem(rows[:, :2], rows[:, 2], capacity, name=clean_name(path.stem))


def write_solution(path: Path, solution: Solution, problem: Problem) -> None:
    """Write a row per visit; routes and stops count from 1, nodes as in our json."""
    del problem
    rows = (
        f"{number},{stop},{node}\n"
        for number, route in enumerate(solution.routes(), start=1)
        for stop, node in enumerate(route.tolist(), start=1)
    )
    with replacing(path) as temporary:
        temporary.write_text("route,stop,node\n" + "".join(rows), encoding="utf-8")


def _rows(lines: list[str], columns: int) -> NDArray[np.float64]:
    filled = [line for line in lines if line.strip()]
    if not filled:
        return np.empty((0, columns))
    try:
        rows = np.loadtxt(filled, delimiter=",", comments=None, ndmin=2)
        if rows.shape[1] == columns:
            return rows
    except ValueError:
        pass
    for number, line in enumerate(lines, start=2):
        if not line.strip():
            continue
        fields = line.count(",") + 1
        if fields != columns:
            raise InputError(f"line {number}: {fields} fields instead of {columns}")
        try:
            np.loadtxt([line], delimiter=",", comments=None)
        except ValueError:
            raise InputError(
                f"line {number}: {excerpt(line.strip())} is not a row of numbers"
            ) from None
    raise InputError("the rows cannot be read as numbers")
