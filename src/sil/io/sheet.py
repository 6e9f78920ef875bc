"""Tables as cells: .csv, .tsv and .xlsx files, however a spreadsheet program writes them."""

import csv
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import Any

from sil.errors import InputError, MissingExtraError, excerpt
from sil.memory import require_memory

DELIMITERS = ";\t,|"
# What a cell and its row take in memory, roughly.
_BYTES_PER_BYTE = 12


@dataclass(frozen=True)
class Sheet:
    """The cells of a table.

    Parameters
    ----------
    header
        The names of the columns.
    rows
        The other rows, as wide as the header. A cell is text or, in Excel files, a number.
    lines
        The line of each row in the file, for error messages.
    delimiter
        What separates the columns of a text file; empty if the file says itself what a number is.
    unit
        What a row is called in error messages.
    """

    header: list[str]
    rows: list[list[str | float]]
    lines: list[int]
    delimiter: str = ""
    unit: str = "line"

    def reordered(self, order: list[int]) -> "Sheet":
        """Return the same sheet with its rows in another order."""
        rows, lines = [self.rows[i] for i in order], [self.lines[i] for i in order]
        return replace(self, rows=rows, lines=lines)

    def column(self, index: int) -> list[str | float]:
        """Return the cells of a column."""
        return [row[index] for row in self.rows]


def read_text(path: Path, is_header: Callable[[list[str]], bool]) -> Sheet:
    """Read a .csv or .tsv file.

    The encoding is UTF-8 or UTF-16, or otherwise that of Windows in the west. The delimiter is the
    one that makes the first row a header. Excel's first line ``sep=;`` is understood.
    """
    text = _decoded(path.read_bytes())
    first, _, rest = text.partition("\n")
    skipped, delimiters = 0, DELIMITERS
    if first.lower().startswith("sep=") and len(first.strip()) == len("sep=") + 1:
        text, skipped, delimiters = rest, 1, first.strip()[-1]
    found = [each for each in delimiters if is_header(_first_row(text, each))]
    if len(found) != 1:
        raise InputError(
            f"line {skipped + 1}: the header must name the columns x and y, or lat and lon; found "
            f"{excerpt(text.partition(chr(10))[0].strip())}"
        )
    if not text.endswith(("\n", "\r")):
        raise InputError(
            f"line {text.count(chr(10)) + 1 + skipped}: the last line has no line break: is the "
            "file complete?"
        )
    reader = csv.reader(StringIO(text, newline=""), delimiter=found[0], strict=True)
    rows: list[list[str]] = []
    lines: list[int] = []
    try:
        for row in reader:
            rows.append(row)
            lines.append(reader.line_num + skipped)
    except csv.Error as error:
        raise InputError(f"line {reader.line_num + skipped}: {error}") from None
    return _sheet(rows, lines, found[0])


def read_excel(path: Path) -> Sheet:
    """Read the first sheet of an .xlsx file; formulas have the values that were saved with them."""
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise MissingExtraError("reading Excel files", "excel") from None
    try:
        with path.open("rb") as stream:
            with zipfile.ZipFile(stream) as archive:
                unpacked = sum(member.file_size for member in archive.infolist())
            require_memory(2 * unpacked, "reading this file")
            book = load_workbook(stream, read_only=True, data_only=True)
            table = list(book.worksheets[0].iter_rows(values_only=True))
    except (OSError, InputError, MemoryError):
        raise
    except Exception as error:  # a damaged file raises errors of many kinds
        raise InputError(
            f"this is not a complete .xlsx file: {excerpt(str(error), 200)[1:-1]}"
        ) from error
    rows = [[_cell(value) for value in row] for row in table]
    return _sheet(rows, list(range(1, len(rows) + 1)), "")


def _decoded(content: bytes) -> str:
    require_memory(_BYTES_PER_BYTE * len(content), "reading this file")
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        encodings = ["utf-16"]
    else:
        encodings = ["utf-8-sig", "cp1252"]
    for encoding in encodings:
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text
    raise InputError("the encoding is not known: save the table as UTF-8")


def _first_row(text: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader(StringIO(text, newline=""), delimiter=delimiter), [])
    except csv.Error:
        return []


def _cell(value: Any) -> str | float:
    if value is None:
        return ""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    return str(value)


def _sheet(rows: list[Any], lines: list[int], delimiter: str) -> Sheet:
    """Drop empty rows and empty columns at the end; refuse rows that are longer than the header."""
    filled = [
        (row, line) for row, line in zip(rows, lines, strict=True) if any(map(_is_filled, row))
    ]
    if not filled:
        raise InputError("line 1: there is no header, the table is empty")
    header = [str(name).strip() for name in filled[0][0]]
    while header and not header[-1]:
        header.pop()
    width, kept = len(header), []
    for row, line in filled[1:]:
        if len(row) != width:
            if any(map(_is_filled, row[width:])):
                raise InputError(
                    f"line {line}: {len(row)} cells, but the header has {width}. Numbers with "
                    "decimal commas need another delimiter, such as a semicolon, or quotes"
                )
            row = [*row[:width], *[""] * (width - len(row))]  # noqa: PLW2901
        kept.append(row)
    return Sheet(header, kept, [line for _, line in filled[1:]], delimiter)


def _is_filled(cell: str | float) -> bool:
    return not isinstance(cell, str) or bool(cell.strip())
