"""Problems from tables: a row for each place, in columns that may have any order."""

import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sil.errors import InputError, excerpt
from sil.io.headings import SECONDS, is_header, roles
from sil.io.sheet import Sheet, read_excel, read_text
from sil.metric import Metric
from sil.problem import Problem
from sil.validate import clean_name

_NUMERIC = ("x", "y", "lat", "lon", "demand", "service", *SECONDS)
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
# Numbers such as 1.234 may mean a thousand and more, or one and a fraction.
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}([.,]\d{3})+", re.ASCII)
_LARGEST = {"lat": 90.0, "lon": 180.0}


def read_problem(path: Path, capacity: int | None = None, depot: str | None = None) -> Problem:
    """Read a .csv, .tsv or .xlsx file.

    Distances are great circles if there are latitudes and longitudes, otherwise exact Euclidean.

    Parameters
    ----------
    path
        The file.
    capacity
        Vehicle capacity, needed if there are demands. Without demands, the greatest number of stops
        of a route: the demand of each is 1.
    depot
        The name of the depot. Default: the first row.
    """
    sheet = read_excel(path) if path.suffix.lower() == ".xlsx" else read_text(path, is_header)
    return to_problem(sheet, clean_name(path.stem), capacity, depot)


def to_problem(
    sheet: Sheet, name: str, capacity: int | None = None, depot: str | None = None
) -> Problem:
    """Make a problem from the cells of a table; see `read_problem`."""
    columns = _Columns(sheet)
    if depot is not None:
        columns = _Columns(sheet.reordered(columns.with_first(depot)))
    has_demand, on_earth = columns.has("demand"), columns.has("lat")
    if has_demand and capacity is None:
        raise InputError(
            "demands need a capacity, which a table cannot contain: give it separately, on the "
            "command line with --capacity"
        )
    if capacity is None and (depot is not None or columns.service is not None):
        raise InputError(
            "a depot and service times need demands, or a capacity: then each stop counts 1"
        )
    coords = np.stack([columns.numbers(role) for role in columns.coordinates], axis=1)
    demand: NDArray[Any] | None = None
    if has_demand:
        demand = columns.numbers("demand")
    elif capacity is not None:
        demand = np.minimum(np.arange(len(coords)), 1)
    return Problem(
        coords,
        demand,
        capacity,
        Metric.HAVERSINE if on_earth else Metric.EUCLIDEAN,
        name=name,
        names=columns.names(),
        service=columns.service_times(),
    )


class _Columns:
    """The columns of a sheet by what they mean."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet, self._roles = sheet, roles(sheet.header)
        self.coordinates = ("lat", "lon") if self.has("lat") else ("x", "y")
        if not all(map(self.has, self.coordinates)):
            raise InputError(
                "the header must name the columns x and y, or lat and lon; found "
                f"{excerpt(', '.join(sheet.header))}"
            )
        given = [role for role in ("service", *SECONDS) if self.has(role)]
        if len(given) > 1:
            raise InputError("there are several columns for service times: keep one")
        self.service = given[0] if given else None
        self._sign = self._decimal_sign()

    def has(self, role: str) -> bool:
        return role in self._roles

    def names(self) -> list[str] | None:
        """Return the ids of the places or, if there are none, their names."""
        role = "id" if self.has("id") else "name"
        if not self.has(role):
            return None
        cells = (
            str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
            for cell in self._cells(role)
        )
        return [clean_name(" ".join(cell.split()), "") for cell in cells]

    def with_first(self, name: str) -> list[int]:
        """Return the order of the rows in which the one of this name comes first."""
        names = self.names()
        if names is None:
            raise InputError("the depot has a name, so a column 'name' or 'id' is needed")
        found = [row for row, other in enumerate(names) if other == name]
        if len(found) != 1:
            lines = ", ".join(str(self._sheet.lines[row]) for row in found[:5])
            raise InputError(
                f"{len(found)} rows are named {excerpt(name)}, on the lines {lines}: give the "
                "depot a name of its own"
                if found
                else f"no row is named {excerpt(name)}, which is to be the depot"
            )
        return [*found, *(row for row in range(len(names)) if row != found[0])]

    def numbers(self, role: str) -> NDArray[np.float64]:
        """Return the numbers of a column, shape (n,)."""
        texts = [
            cell.strip().replace(self._sign, ".") if isinstance(cell, str) else repr(cell)
            for cell in self._cells(role)
        ]
        if role in ("demand", self.service) and texts and not texts[0]:
            texts[0] = "0"  # of the depot
        values = np.zeros(len(texts))
        wrong = np.zeros(len(texts), dtype=np.bool_)
        try:
            if not set("".join(texts)) <= set("0123456789+-.eE"):
                raise ValueError  # Python takes 1_000 and others for numbers
            values[:] = list(map(float, texts))
        except ValueError:
            wrong[:] = [_NUMBER.fullmatch(text) is None for text in texts]
        self._refuse(role, wrong, "is not a number")
        self._refuse(role, ~np.isfinite(values), "is too large")
        if role in _LARGEST:
            most = _LARGEST[role]
            self._refuse(role, np.abs(values) > most, f"must be from -{most:g} to {most:g}")
        if role == "demand":
            whole = (values >= 0) & (values % 1 == 0)
            self._refuse(
                role, ~whole, "must be a whole number, at least 0 (scale demands and the capacity)"
            )
        return values

    def service_times(self) -> NDArray[np.float64] | None:
        """Return the service times: seconds, if the places are on the earth."""
        if self.service is None:
            return None
        times = self.numbers(self.service)
        if self.service not in SECONDS:
            return times
        if not self.has("lat"):
            raise InputError(
                "x and y have no unit, so service times cannot have one: name the column 'service'"
            )
        return times * SECONDS[self.service]

    def _cells(self, role: str) -> list[str | float]:
        return self._sheet.column(self._roles[role])

    def _decimal_sign(self) -> str:
        """Return the sign that separates decimals, which must be the same in all numbers.

        Without another hint, 1.234 could be one and a fraction or, as many countries write it, a
        thousand and more. This is an error, unless commas separate the columns: who writes
        thousands with points uses semicolons. Degrees are never that large.
        """
        points, commas = (
            [
                (role, row)
                for role in _NUMERIC
                if self.has(role)
                for row, cell in enumerate(self._cells(role))
                if isinstance(cell, str) and sign in cell
            ]
            for sign in ".,"
        )
        if points and commas:
            role, row = min(points, commas, key=len)[0]
            self._fail(
                role,
                row,
                "has another decimal sign than other numbers: use a point or a comma in all of "
                "them, and none to separate thousands",
            )
        used = commas or points
        if used and (commas or self._sheet.delimiter != ",") and not self.has("lat"):
            cells = (str(self._cells(role)[row]).strip() for role, row in used)
            if all(map(_THOUSANDS.fullmatch, cells)):
                self._fail(
                    *used[0],
                    "may be a thousand and more, or have three decimals: write no sign for "
                    "thousands, and four decimals or more",
                )
        return "," if commas else "."

    def _refuse(self, role: str, wrong: NDArray[np.bool_], why: str) -> None:
        """Raise an error that names the first wrong cell, if there is one."""
        if wrong.any():
            self._fail(role, int(np.argmax(wrong)), why)

    def _fail(self, role: str, row: int, why: str) -> None:
        cell, heading = self._cells(role)[row], self._sheet.header[self._roles[role]]
        place = f"{self._sheet.unit} {self._sheet.lines[row]}, column {excerpt(heading)}"
        raise InputError(f"{place}: {excerpt(cell)} {why}")
