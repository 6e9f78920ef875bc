"""Plans as tables: a row for each stop, and in a second file a row for each route."""

import csv
from pathlib import Path

from sil import plan
from sil.io.atomic import replacing, require_writable
from sil.plan import Columns
from sil.problem import Problem
from sil.solution import Solution


def write_solution(path: Path, solution: Solution, problem: Problem) -> None:
    """Write the stops to this path, and the routes to the path of `routes_path`."""
    require_writable(routes_path(path))
    _write(path, plan.stops(solution, problem))
    _write(routes_path(path), plan.routes(solution, problem))


def routes_path(path: Path) -> Path:
    """Return where the routes of a plan are written: ``plan.csv`` has ``plan-routes.csv``."""
    return path.with_stem(f"{path.stem}-routes")


def _write(path: Path, columns: Columns) -> None:
    with (
        replacing(path) as scratch,
        scratch.open("w", newline="", encoding="utf-8") as file,
    ):
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
