"""Read and write problems and solutions; the file extension determines the format.

========== ================================================ ======= ========
Extension  Format                                           problem solution
========== ================================================ ======= ========
.tsp .vrp  TSPLIB, VRPLIB                                   r w
.tour      TSPLIB tour (TSP)                                        r w
.sol       CVRPLIB solution (CVRP)                                  r w
.npz       arrays under RL4CO's names                       r w     r w
.json      the same, as text                                r w     r w
.csv       tables with a row for each place, or stop        r       w
.tsv       tables with a row for each place                 r
.xlsx      the same, from Excel                             r
.geojson   points, and routes for maps                      r       w
========== ================================================ ======= ========
"""

import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from sil.errors import InputError, InvalidSolutionError, excerpt, printable
from sil.io import arrays, geojson, plans, routes, table, tsplib
from sil.metric import Metric
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
    ".tsv": table.read_problem,
    ".xlsx": table.read_problem,
    ".geojson": geojson.read_problem,
}
_PROBLEM_WRITERS: dict[str, Callable[[Path, Problem], None]] = {
    ".tsp": tsplib.write_problem,
    ".vrp": tsplib.write_problem,
    ".npz": arrays.write_problem_npz,
    ".json": arrays.write_problem_json,
}
_SOLUTION_READERS: dict[str, Callable[[Path], Solution]] = {
    ".tour": tsplib.read_tour,
    ".sol": routes.read_routes,
    ".npz": arrays.read_solution_npz,
    ".json": arrays.read_solution_json,
}
_STATED_COST_READERS: dict[str, Callable[[Path], float | None]] = {
    ".sol": routes.read_stated_cost,
    ".npz": arrays.read_stated_cost_npz,
    ".json": arrays.read_stated_cost_json,
}
_SOLUTION_WRITERS: dict[str, Callable[[Path, Solution, Problem], None]] = {
    ".tour": tsplib.write_tour,
    ".sol": routes.write_routes,
    ".npz": arrays.write_solution_npz,
    ".json": arrays.write_solution_json,
    ".geojson": geojson.write_solution,
    ".csv": plans.write_solution,
}
PROBLEM_ENDINGS = tuple(_PROBLEM_READERS)


def read(
    path: _Path,
    index: int | None = None,
    capacity: int | None = None,
    depot: str | None = None,
) -> Problem:
    """Read a problem.

    Parameters
    ----------
    path
        The file.
    index
        Which problem of an npz file with several, counted from 0.
    capacity
        Vehicle capacity, for a table with demands; other formats contain it.
    depot
        For a table: the name of the depot. Default: the first row.
    """
    path = _path(path)
    reader = _by_extension(_PROBLEM_READERS, path, "read a problem from")
    options: dict[str, Any] = {}
    if index is not None:
        if reader is not arrays.read_problem_npz:
            raise _error(path, "an index is only for npz files, which may contain several problems")
        if isinstance(index, bool) or not isinstance(index, int):
            raise _error(path, f"the index is {excerpt(index)}: it must be a whole number")
        options["index"] = index
    for what, value in (("capacity", capacity), ("depot", depot)):
        if value is not None:
            if reader not in (table.read_problem, geojson.read_problem):
                raise _error(path, f"a {what} is only for tables, which do not contain it")
            options[what] = value
    return _reading(path, lambda: reader(path, **options))


def read_solution(path: _Path) -> Solution:
    """Read a solution, without checking it against a problem."""
    path = _path(path)
    reader = _by_extension(_SOLUTION_READERS, path, "read a solution from")
    return _reading(path, lambda: reader(path))


def read_stated_cost(path: _Path) -> float | None:
    """Read the cost that a solution file states, right or wrong; None if it states none."""
    path = _path(path)
    reader = _STATED_COST_READERS.get(path.suffix.lower())
    return None if reader is None else _reading(path, lambda: reader(path))


def write(path: _Path, problem: Problem) -> None:
    """Write a problem. If this fails, no incomplete file is left behind."""
    path = _path(path)
    require_problem_format(path, problem.kind, problem.metric)
    _by_extension(_PROBLEM_WRITERS, path, "write a problem to")(path, problem)


def write_solution(path: _Path, solution: Solution, problem: Problem) -> None:
    """Write a solution of the problem. If this fails, no incomplete file is left behind."""
    path = _path(path)
    require_solution_format(path, problem)
    solution.cost(problem)  # raises an error if its nodes do not exist
    _by_extension(_SOLUTION_WRITERS, path, "write a solution to")(path, solution, problem)


def require_problem_format(path: _Path, kind: str, metric: Metric) -> None:
    """Raise an error unless a problem of this kind and metric can be written to this path."""
    path = _path(path)
    _by_extension(_PROBLEM_WRITERS, path, "write a problem to")
    extension = path.suffix.lower()
    if extension not in (".tsp", ".vrp"):
        return
    if metric in (Metric.EUCLIDEAN, Metric.HAVERSINE):
        raise _error(
            path,
            f"TSPLIB has no unrounded distances such as {metric}; choose a rounding metric such as "
            "EUC_2D, or write npz or json",
        )
    if (extension == ".tsp") != (kind == "TSP"):
        raise _error(path, "a TSP is written as .tsp and a CVRP as .vrp")


def require_solution_format(path: _Path, problem: Problem) -> None:
    """Raise an error unless a solution of this problem can be written to this path."""
    path = _path(path)
    _by_extension(_SOLUTION_WRITERS, path, "write a solution to")
    wrong = {"TSP": ".sol", "CVRP": ".tour"}[problem.kind]
    right = {"TSP": ".tour", "CVRP": ".sol"}[problem.kind]
    if path.suffix.lower() == wrong:
        raise _error(path, f"a {problem.kind} solution is written as {right}, not {wrong}")


def _path(path: _Path) -> Path:
    try:
        return Path(path)
    except TypeError:
        raise InputError(f"{excerpt(path)} is not a path") from None


def _by_extension(formats: dict[str, T], path: Path, doing: str) -> T:
    try:
        return formats[path.suffix.lower()]
    except KeyError:
        raise InputError(
            f"cannot {doing} {printable(path)}: the file extension must be one of "
            f"{', '.join(formats)}"
        ) from None


def _error(path: Path, message: str) -> InputError:
    return InputError(f"{printable(path)}: {message}")


def _reading(path: Path, reader: Callable[[], T]) -> T:
    """Read a file; whatever goes wrong is raised as an `InputError` that names the file."""
    try:
        _require_file(path)
        return reader()
    except (InputError, InvalidSolutionError) as error:
        raise _error(path, str(error)) from error
    except FileNotFoundError:
        raise _error(path, "there is no such file") from None
    except OSError as error:
        raise _error(path, f"cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError:
        raise _error(path, "this is not a text file") from None
    except MemoryError:
        raise _error(path, "cannot be read: not enough memory") from None
    except ValueError as error:  # for example a path with a null character
        raise _error(path, f"cannot be read: {error}") from error


def _require_file(path: Path) -> None:
    """Refuse devices and pipes: reading them could take forever."""
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise InputError("cannot be read: this is a folder")
    if not stat.S_ISREG(mode):
        raise InputError("cannot be read: this is a device or a pipe, not a file")
