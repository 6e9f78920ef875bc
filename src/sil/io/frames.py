"""Problems from pandas data frames, and plans as data frames."""

from typing import TYPE_CHECKING, Any

from sil import plan
from sil.errors import InputError, MissingExtraError, excerpt
from sil.io.sheet import Sheet
from sil.io.table import to_problem
from sil.problem import Problem
from sil.solution import Solution

if TYPE_CHECKING:
    from pandas import DataFrame


def from_frame(
    frame: "DataFrame", capacity: int | None = None, depot: str | None = None, name: str = "unnamed"
) -> Problem:
    """Make a problem from a data frame with a row for each place.

    Parameters
    ----------
    frame
        Its columns are those of a table (docs/formats.md): lat and lon, or x and y; demand; id or
        name. The index is not used.
    capacity
        Vehicle capacity, needed if there are demands.
    depot
        The name of the depot. Default: the first row.
    name
        The name of the problem.
    """
    try:
        header = [str(column) for column in frame.columns]
        columns = [frame.iloc[:, i].tolist() for i in range(len(header))]
    except AttributeError:
        raise InputError(f"{excerpt(frame)} is not a data frame") from None
    rows = [list(map(_cell, row)) for row in zip(*columns, strict=True)]
    sheet = Sheet(header, rows, list(range(len(rows))), unit="row")
    return to_problem(sheet, name, capacity, depot)


def to_frames(solution: Solution, problem: Problem) -> "tuple[DataFrame, DataFrame]":
    """Return a plan as two data frames: the stops, and the routes (docs/formats.md, Plans)."""
    try:
        from pandas import DataFrame
    except ImportError:
        raise MissingExtraError("data frames", "pandas") from None
    return DataFrame(plan.stops(solution, problem)), DataFrame(plan.routes(solution, problem))


def _cell(value: Any) -> str | float:
    if value is None or str(value) in ("nan", "<NA>", "NaT"):  # a missing value
        return ""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    return str(value)
