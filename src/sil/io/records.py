"""Dataclasses as rows of csv files: fields are columns, and their types determine how to read them.

A field is a string, a number, a bool, a `StrEnum`, a type with a class method ``parse``, or one of
these or None. True and False are 1 and 0, and None is an empty cell.
"""

import csv
from collections.abc import Iterable, Mapping
from dataclasses import fields
from io import StringIO
from pathlib import Path
from types import NoneType
from typing import Any, TypeVar, get_args, get_type_hints

from sil.errors import excerpt

R = TypeVar("R")


def columns(kind: type) -> list[str]:
    """Name the columns of a dataclass, in order."""
    return [field.name for field in fields(kind)]


def to_cells(record: Any) -> dict[str, str]:
    """Write the fields of a record as text."""
    values = {name: getattr(record, name) for name in columns(type(record))}
    return {name: _cell(value) for name, value in values.items()}


def from_cells(kind: type[R], cells: Mapping[str, str]) -> R:
    """Make a record from text; raise ValueError if columns or values are wrong."""
    types = _types(kind)
    if set(cells) != set(types) or None in cells.values():  # None stands for a missing cell
        raise ValueError(f"a row must have {len(types)} columns")
    return kind(**{name: _named_value(name, types[name], cells[name]) for name in types})


def csv_text(records: Iterable[Any], header: type | None = None) -> str:
    """Write records as lines of a csv file.

    Parameters
    ----------
    records
        The rows.
    header
        Their dataclass, to write its columns first; None to append to an existing file.
    """
    text = StringIO()
    writer = csv.writer(text)
    if header is not None:
        writer.writerow(columns(header))
    writer.writerows(to_cells(record).values() for record in records)
    return text.getvalue()


def read_records(path: Path, kind: type[R]) -> list[R]:
    """Read all rows of a csv file; raise ValueError or csv.Error if the file is damaged."""
    records = []
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file, strict=True)
        present = reader.fieldnames or ()
        if missing := [name for name in columns(kind) if name not in present]:
            raise ValueError(f"columns are missing: {', '.join(missing)}")
        for cells in reader:
            try:
                records.append(from_cells(kind, cells))
            except ValueError as error:
                raise ValueError(f"line {reader.line_num}: {error}") from error
    return records


def _types(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {name: hints[name] for name in columns(kind)}


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    return "" if value is None else str(value)


def _named_value(name: str, kind: Any, text: str) -> Any:
    try:
        return _value(kind, text)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} is {excerpt(text)}") from error


def _value(kind: Any, text: str) -> Any:
    if NoneType in get_args(kind):
        if not text:
            return None
        (kind,) = (each for each in get_args(kind) if each is not NoneType)
    if kind is bool:
        return ("0", "1").index(text) == 1
    return kind.parse(text) if hasattr(kind, "parse") else kind(text)
