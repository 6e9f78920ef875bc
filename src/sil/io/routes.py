"""CVRPLIB solutions: .sol files with one line per route, and the cost."""

import re
from pathlib import Path

import numpy as np

from sil.errors import InputError, excerpt
from sil.io.atomic import replacing
from sil.problem import Problem
from sil.solution import Solution

_ROUTE = re.compile(r"route\s*#?\s*[0-9]+\s*:(.*)", re.IGNORECASE)
_COST = re.compile(r"cost\b[\s:]*(.*)", re.IGNORECASE)
# Some programs add lines of their own, such as "Time 12.5".
_REMARK = re.compile(r"(?!route)[a-z]", re.IGNORECASE)


def read_routes(path: Path) -> Solution:
    """Read a CVRPLIB solution, which numbers customers from 1; the depot is 0."""
    routes, _ = _parse(path)
    if not any(map(len, routes)):
        raise InputError("there is no line 'Route #1: …' with customers")
    return Solution.from_routes([np.array(route, dtype=np.int64) for route in routes])


def read_stated_cost(path: Path) -> float | None:
    """Read the cost that a CVRPLIB solution states; None if it states none."""
    return _parse(path)[1]


def write_routes(path: Path, solution: Solution, problem: Problem) -> None:
    """Write a CVRPLIB solution."""
    lines = [
        f"Route #{number}: {' '.join(map(str, route.tolist()))}\n"
        for number, route in enumerate(solution.routes(), start=1)
    ]
    lines.append(f"Cost: {solution.cost(problem)}\n")
    with replacing(path) as temporary:
        temporary.write_text("".join(lines), encoding="utf-8")


def _parse(path: Path) -> tuple[list[list[int]], float | None]:
    routes: list[list[int]] = []
    cost: float | None = None
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").split("\n"), start=1):
        stripped = line.strip()
        if found := _ROUTE.fullmatch(stripped):
            routes.append(_customers(found[1], number))
        elif found := _COST.fullmatch(stripped):
            if cost is not None:
                raise InputError(f"line {number}: the cost appears for the second time")
            cost = _number(found[1], number)
        elif stripped and not stripped.startswith("#") and not _REMARK.match(stripped):
            raise InputError(
                f"line {number}: expected 'Route #1: 3 5 4' or 'Cost 42', found {excerpt(stripped)}"
            )
    return routes, cost


def _customers(text: str, line: int) -> list[int]:
    fields = text.split()
    for field in fields:
        if not (field.isascii() and field.isdigit() and len(field) <= 10):
            raise InputError(f"line {line}: {excerpt(field)} is not a customer number")
    return list(map(int, fields))


def _number(text: str, line: int) -> float:
    try:
        if "_" in text or not text.isascii():
            raise ValueError
        value = float(text)
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise InputError(f"line {line}: the cost is {excerpt(text)}, not a number")
    return value
