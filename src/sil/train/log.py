"""The log of a run as csv, one row a validation."""

import csv
from pathlib import Path
from typing import Any

from sil.errors import InputError, excerpt
from sil.io.atomic import write_csv

COLUMNS = (
    "stage",
    "nodes",
    "episode",
    "epoch",
    "steps",
    "seconds",
    "states_per_second",
    "loss",
    "accuracy",
    "label_gap",
    "greedy_gap",
    "prc_gap",
    "best",
    "rollbacks",
)


def write_log(folder: Path, history: list[dict[str, Any]]) -> None:
    """Write the whole log anew, so that a run that went back in time has no row twice."""
    if history:
        write_csv(folder / "log.csv", history)


def read_log(folder: Path) -> list[dict[str, float]]:
    """Read the log of a run; it has at least one row."""
    path = folder / "log.csv"
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = _rows(csv.DictReader(file, strict=True))
    except FileNotFoundError as error:
        raise InputError(f"{folder}: there is no log of a training run here") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (csv.Error, ValueError) as error:
        raise InputError(f"{path}: this is not the log of a training run: {error}") from error
    if not rows:
        raise InputError(f"{path}: the log has no rows yet; look again after the first validation")
    return rows


def _rows(reader: "csv.DictReader[str]") -> list[dict[str, float]]:
    if missing := [name for name in COLUMNS if name not in (reader.fieldnames or ())]:
        raise ValueError(f"columns are missing: {', '.join(missing)}")
    return [{name: _number(row, name, reader.line_num) for name in COLUMNS} for row in reader]


def _number(row: dict[str, str], name: str, line: int) -> float:
    try:
        return float(row[name])
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} in line {line} is {excerpt(row[name])}") from error
