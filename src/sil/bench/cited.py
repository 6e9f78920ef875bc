"""Figures of the paper's tables, for rows marked as cited."""

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class Cited:
    """One figure of the paper.

    Parameters
    ----------
    table
        Of the paper, by the name of our suite; ``memory-model`` and ``memory-attention`` are two.
    problem
        TSP or CVRP.
    set_name
        As the paper has it, such as ``TSP1K``.
    method
        As the paper has it.
    value
        Cost, or megabytes; empty where the paper has none.
    gap_percent
        To the paper's reference; empty where it has none.
    time
        As printed.
    note
        Why there is no figure.
    """

    table: str
    problem: str
    set_name: str
    method: str
    value: str
    gap_percent: str
    time: str
    note: str


@cache
def cited() -> tuple[Cited, ...]:
    """Read all figures of the paper."""
    text = files("sil.bench").joinpath("paper.csv").read_text(encoding="utf-8")
    return tuple(Cited(*row) for row in list(csv.reader(text.splitlines()))[1:])
