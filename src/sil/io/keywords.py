"""The common syntax of TSPLIB files: keywords with values, and sections of numbers."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sil.errors import InputError, excerpt
from sil.validate import EXACT

_SPECIFICATIONS = {
    "NAME",
    "COMMENT",
    "TYPE",
    "DIMENSION",
    "CAPACITY",
    "DISTANCE",
    "SERVICE_TIME",
    "VEHICLES",
    "EDGE_WEIGHT_TYPE",
    "EDGE_WEIGHT_FORMAT",
    "NODE_COORD_TYPE",
    "DISPLAY_DATA_TYPE",
}
_SECTIONS = {
    "NODE_COORD_SECTION",
    "DEMAND_SECTION",
    "DEPOT_SECTION",
    "EDGE_WEIGHT_SECTION",
    "DISPLAY_DATA_SECTION",
    "SERVICE_TIME_SECTION",
    "TOUR_SECTION",
}
_UNSUPPORTED = {
    "TIME_WINDOW_SECTION": "time windows",
    "BACKHAUL_SECTION": "backhauls",
    "LINEHAUL_SECTION": "backhauls",
    "PICKUP_AND_DELIVERY_SECTION": "pickups and deliveries",
    "FIXED_EDGES_SECTION": "fixed edges",
    "EDGE_DATA_SECTION": "sparse graphs",
    "VEHICLES_DEPOT_SECTION": "several depots",
    "VEHICLES_ALLOWED_CLIENTS_SECTION": "allowed clients",
    "CAPACITY_SECTION": "vehicles of several kinds",
}


@dataclass(frozen=True)
class Section:
    """The lines of a data section; `first_line` is the line number of the first one."""

    keyword: str
    first_line: int
    lines: list[str]

    def rows(self) -> Iterator[tuple[int, str]]:
        """Yield the lines that contain data, with their line numbers."""
        for number, line in enumerate(self.lines, start=self.first_line):
            if (stripped := line.strip()) and not stripped.startswith("#"):
                yield number, stripped

    def table(self, columns: int, dimension: int) -> NDArray[np.float64]:
        """Parse rows that start with the node numbers 1, 2, 3 …; return the other columns."""
        lines = [line for _, line in self.rows()]
        table = np.empty((0, columns))
        try:
            if lines:
                table = np.loadtxt(lines, dtype=np.float64, comments=None, ndmin=2)
        except ValueError:
            table = np.empty((len(lines), 0))
        if table.shape[1] != columns:
            self._refuse_row(columns)
        wrong = table[:, 0] != np.arange(1, len(table) + 1)
        if wrong.any():
            row = int(np.argmax(wrong))
            number, line = list(self.rows())[row]
            raise InputError(
                f"line {number}: {self.keyword} must list the nodes 1, 2, 3 … in order; "
                f"expected node {row + 1}, found {excerpt(line)}"
            )
        if len(table) != dimension:
            raise InputError(
                f"line {self.first_line - 1}: {self.keyword} has {len(table)} rows, "
                f"but DIMENSION is {dimension}"
            )
        return table[:, 1:]

    def _refuse_row(self, columns: int) -> None:
        """Find a row that does not have this many numbers, and raise an error that names it."""
        for number, line in self.rows():
            try:
                fits = len(_floats(line)) == columns
            except ValueError:
                fits = False
            if not fits:
                raise InputError(
                    f"line {number}: {self.keyword} needs {columns} numbers per row, "
                    f"found {excerpt(line)}"
                )
        raise InputError(f"line {self.first_line}: {self.keyword} cannot be read as numbers")

    def values(self) -> NDArray[np.float64]:
        """Parse all numbers, regardless of line breaks."""
        found: list[float] = []
        for number, line in self.rows():
            try:
                found.extend(_floats(line))
            except ValueError:
                raise InputError(
                    f"line {number}: {self.keyword} needs numbers only, found {excerpt(line)}"
                ) from None
        return np.array(found)


@dataclass(frozen=True)
class KeywordFile:
    """A parsed file, which contains only supported keywords."""

    specifications: dict[str, str]
    lines: dict[str, int]  # line number of each keyword
    sections: dict[str, Section]

    def text(self, keyword: str, default: str | None = None) -> str:
        """Value of a keyword, unchanged."""
        value = self.specifications.get(keyword, default)
        if value is None:
            raise InputError(f"there is no {keyword}")
        return value

    def choice(self, keyword: str, choices: set[str], default: str | None = None) -> str:
        """Value of a keyword that must be one of these, in upper or lower case."""
        value = self.text(keyword, default).upper()
        if value not in choices:
            raise InputError(
                f"line {self.lines[keyword]}: {keyword} {excerpt(value)[1:-1]} is not supported, "
                f"only {', '.join(sorted(choices))}"
            )
        return value

    def whole_number(self, keyword: str) -> int:
        """Value of a keyword that must be a whole number above 0."""
        text = self.text(keyword)
        try:
            (value,) = _floats(text)
        except ValueError:
            value = 0.0
        if not 1 <= value < EXACT or value % 1:
            raise InputError(
                f"line {self.lines[keyword]}: {keyword} is {excerpt(text)}, "
                "not a whole number above 0"
            )
        return int(value)

    def number(self, keyword: str) -> float | None:
        """Value of a keyword that must be a number, at least 0; None if it is missing."""
        if keyword not in self.specifications:
            return None
        text = self.specifications[keyword]
        try:
            (value,) = _floats(text)
        except ValueError:
            value = -1.0
        if not 0 <= value < EXACT:
            raise InputError(
                f"line {self.lines[keyword]}: {keyword} is {excerpt(text)}, "
                "not a number of at least 0"
            )
        return value

    def section(self, keyword: str) -> Section:
        """Return a section; it is an error if it is missing."""
        if keyword not in self.sections:
            raise InputError(f"there is no {keyword}")
        return self.sections[keyword]


def parse(path: Path) -> KeywordFile:
    """Split a file into specifications and sections; refuse anything that is not understood."""
    text = path.read_text(encoding="utf-8-sig")
    lines = text.split("\n")  # not splitlines: comments may contain other separators
    found: dict[str, int] = {}
    specifications: dict[str, str] = {}
    headers: list[tuple[str, int]] = []  # section keyword, index of its line
    end = len(lines)
    for index, line in enumerate(lines):
        stripped = line.strip()
        # Most lines are rows of numbers: skip them quickly.
        if not stripped or stripped[0] == "#" or (headers and not stripped[0].isalpha()):
            continue
        if stripped == "EOF":
            end = index
            break
        before, colon, after = stripped.partition(":")
        keyword, value = before.strip().upper(), after.strip()
        if keyword.endswith("_SECTION") and not value:
            headers.append((keyword, index))
        elif colon and not headers and not keyword.endswith("_SECTION"):
            specifications[keyword] = value
        elif headers and keyword not in _SPECIFICATIONS | set(_UNSUPPORTED) | _SECTIONS:
            continue  # not a row of numbers: its section will refuse it
        else:
            raise InputError(f"line {index + 1}: unexpected {excerpt(stripped)}")
        if keyword in found and keyword != "COMMENT":
            raise InputError(f"line {index + 1}: {keyword} appears for the second time")
        _require_supported(keyword, index + 1)
        found[keyword] = index + 1
    if end == len(lines) and not text.endswith("\n"):
        raise InputError("the file ends in the middle of a line, without EOF: is it complete?")

    sections: dict[str, Section] = {}
    for keyword, index in reversed(headers):
        sections[keyword] = Section(keyword, index + 2, lines[index + 1 : end])
        end = index
    return KeywordFile(specifications, found, sections)


def _require_supported(keyword: str, line: int) -> None:
    if keyword in _UNSUPPORTED:
        raise InputError(f"line {line}: {keyword}: {_UNSUPPORTED[keyword]} are not supported")
    if keyword not in _SPECIFICATIONS | _SECTIONS:
        raise InputError(f"line {line}: the keyword {excerpt(keyword)[1:-1]} is not supported")


def _floats(line: str) -> list[float]:
    """Parse numbers as other programs write them, without Python's extras such as 1_000 and ١."""
    if "_" in line or not line.isascii():
        raise ValueError
    return list(map(float, line.split()))
