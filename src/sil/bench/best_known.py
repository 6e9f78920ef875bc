"""Costs that instances of libraries are measured against: the smallest that anybody has found.

The paper's own values stand in ``paper.csv``. Better ones were found since, so newer ones are in
``best_known.csv``, with their date; the user's table may be newer still. A best known cost can only
fall: of two the smaller counts.
"""

import csv
import math
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from sil.errors import InputError
from sil.problem import Problem


@dataclass(frozen=True)
class BestKnown:
    """A cost and where it comes from.

    Parameters
    ----------
    cost
        Of the best solution known.
    origin
        In tables.
    """

    cost: float
    origin: str = "best known"


@cache
def _shipped() -> dict[tuple[str, str, int], BestKnown]:
    """Read our table, by name, problem and dimension: another instance may have the same name."""
    text = files("sil.bench").joinpath("best_known.csv").read_text(encoding="utf-8")
    return {
        (row["instance"], row["problem"], int(row["dimension"])): BestKnown(
            float(row["best_known"]), f"best known ({row['as_of']})"
        )
        for row in csv.DictReader(text.splitlines())
    }


def best_known(name: str, problem: Problem, users: float | None = None) -> BestKnown | None:
    """Find the best known cost of an instance.

    Parameters
    ----------
    name
        Under which libraries have it.
    problem
        The instance.
    users
        What the user's table says, if anything. If ours has a smaller one, that counts.
    """
    ours = _shipped().get((name, problem.kind, problem.dimension))
    if users is None or (ours is not None and ours.cost <= users):
        return ours
    return BestKnown(users)


def read_best_known(table: Path) -> dict[str, float]:
    """Read a user's table, a csv with the columns ``instance`` and ``best_known``."""
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
            f"{table}: needs the columns instance and best_known, a number above 0: {error!r}"
        ) from error
    return best
