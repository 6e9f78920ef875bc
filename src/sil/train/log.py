"""The history of a run: one row per validation, kept in ``log.csv``."""

import csv
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from sil.errors import InputError, excerpt
from sil.io.atomic import write_csv


@dataclass(frozen=True)
class LogRow:
    """One validation; the fields are the columns of ``log.csv``, in this order.

    Parameters
    ----------
    stage
        Number of the stage, from 1.
    nodes
        Size of the instances, or of the largest of the user's own.
    episode
        Number of the episode, from 1; 0 before the first one.
    epoch
        Number of the epoch within the episode, from 1; 0 before the first one.
    steps
        Optimiser steps since the warm-up.
    seconds
        Time that the run has taken so far.
    states_per_second
        Training speed in this epoch.
    loss
        Mean loss of the epoch; NaN before the first one.
    accuracy
        Share of the states in which the most probable action was right; NaN likewise.
    label_gap
        Mean gap of the labels to the references, in percent.
    greedy_gap
        Mean gap of greedy construction by the policy, in percent.
    prc_gap
        Mean gap after ten rounds of reconstruction from random insertion, in percent.
    best
        Whether this is the best policy of the stage so far.
    rollbacks
        How often training has diverged in this stage.
    """

    stage: int
    nodes: int
    episode: int
    epoch: int
    steps: int
    seconds: float
    states_per_second: int
    loss: float
    accuracy: float
    label_gap: float
    greedy_gap: float
    prc_gap: float
    best: bool
    rollbacks: int

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "LogRow":
        """Make a row from numbers or text by column name; other names are ignored."""
        row: dict[str, Any] = {}
        for field in fields(cls):
            value = values[field.name]
            try:
                row[field.name] = _parsed(field.type, value)
            except (TypeError, ValueError, OverflowError) as error:
                raise ValueError(f"{field.name} is {excerpt(value)}") from error
        return cls(**row)

    def values(self) -> dict[str, int | float]:
        """Return the numbers by column name, as files hold them."""
        return asdict(self) | {"best": int(self.best)}


COLUMNS = tuple(field.name for field in fields(LogRow))


def write_log(folder: Path, history: Iterable[LogRow]) -> None:
    """Write the whole log anew, so that no row is there twice after a rollback."""
    if rows := [row.values() for row in history]:
        write_csv(folder / "log.csv", rows)


def read_log(folder: Path) -> list[LogRow]:
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


def _rows(reader: "csv.DictReader[str]") -> list[LogRow]:
    if missing := [name for name in COLUMNS if name not in (reader.fieldnames or ())]:
        raise ValueError(f"columns are missing: {', '.join(missing)}")
    rows = []
    for values in reader:
        try:
            rows.append(LogRow.of(values))
        except ValueError as error:
            raise ValueError(f"line {reader.line_num}: {error}") from error
    return rows


def _parsed(kind: Any, value: Any) -> int | float | bool:
    number = float(value)
    if kind is float:
        return number
    if not number.is_integer():
        raise ValueError(f"{value} is not a whole number")
    return bool(number) if kind is bool else int(number)
