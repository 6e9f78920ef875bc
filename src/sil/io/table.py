"""Problems as csv: columns x, y and, for CVRP, demand with the depot in the first row."""

from pathlib import Path

import numpy as np

from sil.errors import InputError
from sil.problem import Problem

_COLUMNS = {("x", "y"), ("x", "y", "demand")}


def read_problem(path: Path, capacity: int | None = None) -> Problem:
    """Read a csv file with a header; distances are exact Euclidean.

    Parameters
    ----------
    path
        The file.
    capacity
        Needed if there are demands.
    """
    text = path.read_text(encoding="utf-8-sig")
    lines = text.splitlines()
    header = tuple(name.strip().lower() for name in lines[0].split(",")) if lines else ()
    if header not in _COLUMNS:
        raise InputError("line 1: the header must be 'x,y' for TSP or 'x,y,demand' for CVRP")
    if not text.endswith("\n"):
        raise InputError(
            f"line {len(lines)}: the last line has no line break: is the file complete?"
        )
    numbered = [(n, line) for n, line in enumerate(lines[1:], start=2) if line.strip()]
    rows = np.empty((len(numbered), len(header)))
    for row, (number, line) in enumerate(numbered):
        fields = line.split(",")
        if len(fields) != len(header):
            raise InputError(f"line {number}: {len(fields)} fields instead of {len(header)}")
        try:
            rows[row] = [float(field) for field in fields]
        except ValueError:
            raise InputError(f"line {number}: not a number in {line.strip()!r}") from None
    if len(header) == 2:
        if capacity is not None:
            raise InputError("a capacity needs a column 'demand'")
        return Problem(rows, name=path.stem)
    if capacity is None:
        raise InputError("demands need a capacity, which a csv file cannot hold: give it apart")
    return Problem(rows[:, :2], rows[:, 2], capacity, name=path.stem)
