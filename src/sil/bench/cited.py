"""Values from the paper's tables, for rows marked as cited."""

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class Cited:
    """One value from the paper.

    Parameters
    ----------
    table
        The table, named after our suite; memory has two, ``memory-model`` and
        ``memory-attention``.
    problem
        TSP or CVRP.
    set_name
        As in the paper, such as ``TSP1K``.
    method
        As in the paper.
    value
        Cost, or memory; empty if the paper has none.
    gap_percent
        Gap to the paper's reference; empty if the paper has none.
    time
        As printed.
    note
        Why there is no value.
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
    """Read all values from the paper."""
    text = files("sil.bench").joinpath("paper.csv").read_text(encoding="utf-8")
    return tuple(Cited(*row) for row in list(csv.reader(text.splitlines()))[1:])
