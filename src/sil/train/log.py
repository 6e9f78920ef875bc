"""The history of a run: one row per validation, kept in ``log.csv``."""

import csv
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from sil.errors import InputError
from sil.io.atomic import write_csv
from sil.io.records import read_records, to_cells


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

    def values(self) -> dict[str, int | float]:
        """Return the numbers by column name, as a checkpoint holds them."""
        return asdict(self) | {"best": int(self.best)}


def write_log(folder: Path, history: Iterable[LogRow]) -> None:
    """Write the whole log anew, so that no row is there twice after a rollback."""
    if rows := [to_cells(row) for row in history]:
        write_csv(folder / "log.csv", rows)


def read_log(folder: Path) -> list[LogRow]:
    """Read the log of a run; it has at least one row."""
    path = folder / "log.csv"
    try:
        rows = read_records(path, LogRow)
    except FileNotFoundError as error:
        raise InputError(f"{folder}: there is no log of a training run here") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (csv.Error, ValueError) as error:
        raise InputError(f"{path}: this is not the log of a training run: {error}") from error
    if not rows:
        raise InputError(f"{path}: the log has no rows yet; look again after the first validation")
    return rows
