"""Read and write problems and solutions; the file's ending says the format.

========== ================================================ ======= ========
Ending     Format                                           problem solution
========== ================================================ ======= ========
.tsp .vrp  TSPLIB, VRPLIB                                   r w
.tour      TSPLIB tour (TSP)                                        r w
.sol       CVRPLIB solution (CVRP)                                  r w
.npz       arrays under RL4CO's names                       r w     r w
.json      the same, as text                                r w     r w
.csv       columns x, y and, for CVRP, demand               r
.geojson   for maps                                                 w
========== ================================================ ======= ========
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from sil.errors import InputError
from sil.io import arrays, geojson, table, tsplib
from sil.problem import Problem
from sil.solution import Solution

_Path = str | Path
T = TypeVar("T")

_PROBLEM_READERS: dict[str, Callable[..., Problem]] = {
    ".tsp": tsplib.read_problem,
    ".vrp": tsplib.read_problem,
    ".npz": arrays.read_problem_npz,
    ".json": arrays.read_problem_json,
    ".csv": table.read_problem,
}
_PROBLEM_WRITERS: dict[str, Callable[[Path, Problem], None]] = {
    ".tsp": tsplib.write_problem,
    ".vrp": tsplib.write_problem,
    ".npz": arrays.write_problem_npz,
    ".json": arrays.write_problem_json,
}
_SOLUTION_READERS: dict[str, Callable[[Path], Solution]] = {
    ".tour": tsplib.read_tour,
    ".sol": tsplib.read_routes,
    ".npz": arrays.read_solution_npz,
    ".json": arrays.read_solution_json,
}
_STATED_COST_READERS: dict[str, Callable[[Path], Any]] = {
    ".sol": tsplib.read_stated_cost,
    ".npz": arrays.read_stated_cost_npz,
    ".json": arrays.read_stated_cost_json,
}
_SOLUTION_WRITERS: dict[str, Callable[[Path, Solution, Problem], None]] = {
    ".tour": tsplib.write_tour,
    ".sol": tsplib.write_routes,
    ".npz": arrays.write_solution_npz,
    ".json": arrays.write_solution_json,
    ".geojson": geojson.write_solution,
}


def read(path: _Path, index: int | None = None, capacity: int | None = None) -> Problem:
    """Read a problem.

    Parameters
    ----------
    path
        The file.
    index
        Which problem of an npz file that holds several.
    capacity
        For a csv file with demands, which has no place for it.
    """
    path = Path(path)
    reader = _by_ending(_PROBLEM_READERS, path, "read a problem from")
    options: dict[str, Any] = {}
    if index is not None:
        if reader is not arrays.read_problem_npz:
            raise InputError(f"{path}: only an npz file holds several problems to pick from")
        options["index"] = index
    if capacity is not None:
        if reader is not table.read_problem:
            raise InputError(f"{path}: only for a csv file is the capacity given apart")
        options["capacity"] = capacity
    return _reading(path, lambda: reader(path, **options))


def read_solution(path: _Path) -> Solution:
    """Read a solution; it is not checked against any problem yet."""
    path = Path(path)
    reader = _by_ending(_SOLUTION_READERS, path, "read a solution from")
    return _reading(path, lambda: reader(path))


def read_stated_cost(path: _Path) -> float | None:
    """Read the cost that a solution file states, whether right or not; None if it states none."""
    path = Path(path)
    reader = _STATED_COST_READERS.get(path.suffix.lower())
    cost = None if reader is None else _reading(path, lambda: reader(path))
    return float(cost) if isinstance(cost, (int, float)) else None


def write(path: _Path, problem: Problem) -> None:
    """Write a problem; the file is complete or not there."""
    path = Path(path)
    _by_ending(_PROBLEM_WRITERS, path, "write a problem to")(path, problem)


def write_solution(path: _Path, solution: Solution, problem: Problem) -> None:
    """Write a solution of the problem; the file is complete or not there."""
    path = Path(path)
    require_solution_format(path, problem)
    _by_ending(_SOLUTION_WRITERS, path, "write a solution to")(path, solution, problem)


def require_solution_format(path: _Path, problem: Problem) -> None:
    """Raise an error unless a solution of this problem can be written to this path."""
    path = Path(path)
    _by_ending(_SOLUTION_WRITERS, path, "write a solution to")
    wrong = {"TSP": ".sol", "CVRP": ".tour"}[problem.kind]
    right = {"TSP": ".tour", "CVRP": ".sol"}[problem.kind]
    if path.suffix.lower() == wrong:
        raise InputError(f"{path}: a {problem.kind} solution is written as {right}, not {wrong}")


def _by_ending(formats: dict[str, T], path: Path, doing: str) -> T:
    try:
        return formats[path.suffix.lower()]
    except KeyError:
        raise InputError(
            f"cannot {doing} {path}: the ending must be one of {', '.join(formats)}"
        ) from None


def _reading(path: Path, reader: Callable[[], T]) -> T:
    try:
        return reader()
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError:
        raise InputError(f"{path}: this is not a text file") from None
