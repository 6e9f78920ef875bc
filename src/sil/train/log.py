"""The log of a run as csv, one row a validation."""

import csv
from pathlib import Path
from typing import Any

from sil.errors import InputError
from sil.io.atomic import write_csv


def write_log(folder: Path, history: list[dict[str, Any]]) -> None:
    """Write the whole log anew, so that a run that went back in time has no row twice."""
    if history:
        write_csv(folder / "log.csv", history)


def read_log(folder: Path) -> list[dict[str, float]]:
    """Read the log of a run."""
    path = folder / "log.csv"
    if not path.is_file():
        raise InputError(f"{folder}: there is no log of a training run here")
    with path.open(newline="") as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
