"""Best known costs of library instances, which gaps are measured against.

The paper's values are in ``paper.csv``. Some have been improved since: newer values and their dates
are in ``best_known.csv``, and the user's table may be newer still. A best known cost can only fall,
so the smaller of two values counts.
"""

import csv
import math
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from sil.errors import InputError
from sil.io.records import from_cells
from sil.problem import Problem


@dataclass(frozen=True)
class BestKnown:
    """A cost and where it comes from.

    Parameters
    ----------
    cost
        Cost of the best known solution.
    origin
        Where it comes from, for tables.
    """

    cost: float
    origin: str = "best known"


@dataclass(frozen=True)
class _Shipped:
    """A row of our table; the fields are its columns."""

    instance: str
    problem: str
    dimension: int
    best_known: float
    as_of: str
    source: str


@cache
def _shipped() -> dict[tuple[str, str, int], BestKnown]:
    """Read our table by name, problem and dimension, because instances may share a name."""
    text = files("sil.bench").joinpath("best_known.csv").read_text(encoding="utf-8")
    rows = [from_cells(_Shipped, cells) for cells in csv.DictReader(text.splitlines())]
    return {
        (row.instance, row.problem, row.dimension): BestKnown(
            row.best_known, f"best known ({row.as_of})"
        )
        for row in rows
    }


def best_known(name: str, problem: Problem, users: float | None = None) -> BestKnown | None:
    """Find the best known cost of an instance.

    Parameters
    ----------
    name
        Its name in the library.
    problem
        The instance.
    users
        The value in the user's table, if there is one. The smaller of this and ours counts.
    """
    ours = _shipped().get((name, problem.kind, problem.dimension))
    if users is None or (ours is not None and ours.cost <= users):
        return ours
    return BestKnown(users)


def read_best_known(table: Path) -> dict[str, float]:
    """Read a user's table: a csv file with the columns ``instance`` and ``best_known``."""
    best: dict[str, float] = {}
    try:
        with table.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                name, cost = row["instance"], float(row["best_known"])
                if not (name and name.isprintable() and math.isfinite(cost) and cost > 0):
                    raise ValueError(f"{name!r} has {row['best_known']!r}")
                best[name] = min(cost, best.get(name, cost))
    except OSError as error:
        raise InputError(f"{table}: cannot be read: {error.strerror}") from error
    except (KeyError, TypeError, ValueError, csv.Error) as error:
        raise InputError(
            f"{table}: needs the columns instance and best_known (a number above 0): {error!r}"
        ) from error
    return best
