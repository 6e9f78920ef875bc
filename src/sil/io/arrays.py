"""Problems and solutions as named arrays, in npz (RL4CO's names) or json."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sil.errors import InputError, InvalidSolutionError
from sil.io.atomic import replacing
from sil.problem import Metric, Problem
from sil.solution import Solution

_PROBLEM_KEYS = {"locs", "depot", "demand", "capacity", "metric", "matrix", "name"}
_SOLUTION_KEYS = {"nodes", "via_depot", "cost"}
# RL4CO saves this one beside the demands that it has already divided by the capacity.
_IGNORED_KEYS = {"vehicle_capacity"}


def read_problem_npz(path: Path, index: int | None = None) -> Problem:
    """Read one problem from npz; `index` picks it where the arrays have a batch dimension."""
    values = _load_npz(path)
    locs = values.get("locs")
    if locs is not None and locs.ndim == 3:
        count = len(locs)
        if index is None and count > 1:
            raise InputError(f"this file holds {count} problems: pick one by its index from 0 on")
        if not 0 <= (index or 0) < count:
            raise InputError(f"there is no problem {index}: this file holds {count}")
        values = {key: _pick(value, index or 0, count, key) for key, value in values.items()}
    elif index not in (None, 0):
        raise InputError(f"there is no problem {index}: this file holds one")
    return _to_problem(values, path.stem)


def read_problem_json(path: Path) -> Problem:
    """Read a problem from a json object with the same keys as npz."""
    return _to_problem(_load_json(path), path.stem)


def write_problem_npz(path: Path, problem: Problem) -> None:
    """Write a problem as npz."""
    _save_npz(path, _from_problem(problem))


def write_problems_npz(path: Path, problems: list[Problem]) -> None:
    """Write several problems of one size as one npz with a batch dimension, as RL4CO does."""
    each = [_from_problem(problem) for problem in problems]
    _save_npz(path, {key: np.stack([arrays[key] for arrays in each]) for key in each[0]})


def write_problem_json(path: Path, problem: Problem) -> None:
    """Write a problem as json."""
    _save_json(path, _from_problem(problem))


def read_solution_npz(path: Path) -> Solution:
    """Read a solution from npz."""
    return _to_solution(_load_npz(path))


def read_solution_json(path: Path) -> Solution:
    """Read a solution from json."""
    return _to_solution(_load_json(path))


def read_stated_cost_npz(path: Path) -> Any:
    """Read the cost that a solution file states."""
    cost = _load_npz(path).get("cost")
    return None if cost is None else _scalar(cost, "cost")


def read_stated_cost_json(path: Path) -> Any:
    """Read the cost that a solution file states."""
    return _load_json(path).get("cost")


def write_solution_npz(path: Path, solution: Solution, problem: Problem) -> None:
    """Write a solution as npz."""
    _save_npz(path, _from_solution(solution, problem))


def write_solution_json(path: Path, solution: Solution, problem: Problem) -> None:
    """Write a solution as json."""
    _save_json(path, _from_solution(solution, problem))


def _load_npz(path: Path) -> dict[str, NDArray[Any]]:
    try:
        # Opened here: np.load leaves the file open when it fails.
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            return {key: file[key] for key in file.files}
    except OSError:
        raise
    except Exception as error:  # a damaged archive raises errors of many kinds
        raise InputError(f"this is not a complete npz file of plain arrays: {error}") from error


def _save_npz(path: Path, values: dict[str, Any]) -> None:
    with replacing(path) as temporary:
        np.savez_compressed(temporary, **values)


def _load_json(path: Path) -> dict[str, Any]:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"this is not valid json: {error}") from error
    if not isinstance(values, dict):
        raise InputError("the json must be an object with named arrays")
    return values


def _save_json(path: Path, values: Mapping[str, NDArray[Any]]) -> None:
    with replacing(path) as temporary:
        temporary.write_text(
            json.dumps({key: value.tolist() for key, value in values.items()}), encoding="utf-8"
        )


def _pick(value: NDArray[Any], index: int, count: int, key: str) -> NDArray[Any]:
    if value.ndim == 0:
        return value
    if len(value) != count:
        raise InputError(f"{key!r} holds {len(value)} entries for {count} problems")
    return np.asarray(value[index])


def _to_problem(values: Mapping[str, Any], default_name: str) -> Problem:
    _require_known(values, _PROBLEM_KEYS | _IGNORED_KEYS)
    arrays = _ragged_refused(values)
    locs, depot, demand = (arrays.get(key) for key in ("locs", "depot", "demand"))
    if locs is None and "matrix" not in arrays:
        raise InputError("there is no 'locs' (coordinates) nor a 'matrix'")
    if (depot is None) != (demand is None) and locs is not None:
        raise InputError("a CVRP needs both 'depot' and 'demand', a TSP has neither")
    if demand is not None and "capacity" not in arrays:
        raise InputError("there is no 'capacity'")
    if depot is not None and locs is not None:
        if locs.ndim != 2 or depot.shape != (2,):
            raise InputError(
                f"'locs' must have shape (customers, 2) and 'depot' (2,), "
                f"not {locs.shape} and {depot.shape}"
            )
        locs = np.concatenate([depot[None, :], locs])
    capacity = None
    if demand is not None:
        capacity = _scalar(arrays["capacity"], "capacity")
        demand = _with_depot(demand, capacity)
    return Problem(
        coords=locs,
        demand=demand,
        capacity=capacity,
        metric=_scalar(arrays["metric"], "metric") if "metric" in arrays else Metric.EUCLIDEAN,
        matrix=arrays.get("matrix"),
        name=str(_scalar(arrays["name"], "name")) if "name" in arrays else default_name,
    )


def _with_depot(demand: NDArray[Any], capacity: Any) -> NDArray[Any]:
    """Put the depot's zero first, and undo RL4CO's division by the capacity."""
    if demand.ndim != 1:
        raise InputError(f"'demand' must have shape (customers,), not {demand.shape}")
    try:
        values = demand.astype(np.float64)
        whole = np.rint(values * float(capacity))
    except (TypeError, ValueError):
        raise InputError("'demand' and 'capacity' must be numbers") from None
    divided = bool(((values != np.rint(values)) & (values < 1)).any())
    if divided and np.allclose(values * float(capacity), whole, rtol=0, atol=1e-3):
        values = whole
    return np.concatenate([[0.0], values])


def _from_problem(problem: Problem) -> dict[str, NDArray[Any]]:
    values = {"name": np.array(problem.name), "metric": np.array(str(problem.metric))}
    coords = problem.coords
    if problem.demand is not None:
        values |= {"demand": problem.demand[1:], "capacity": np.array(problem.capacity)}
        if coords is not None:
            values["depot"], coords = coords[0], coords[1:]
    if coords is not None:
        values["locs"] = coords
    if problem.matrix is not None:
        values["matrix"] = problem.matrix
    return values


def _to_solution(values: Mapping[str, Any]) -> Solution:
    _require_known(values, _SOLUTION_KEYS)
    if "nodes" not in values:
        raise InputError("there is no 'nodes'")
    arrays = _ragged_refused({k: v for k, v in values.items() if k != "cost" and v is not None})
    via_depot = arrays.get("via_depot")
    if via_depot is not None and not np.isin(via_depot, (0, 1)).all():
        raise InputError("'via_depot' must hold true and false only")
    try:
        return Solution(arrays["nodes"], via_depot)
    except InvalidSolutionError as error:
        raise InputError(str(error)) from error


def _from_solution(solution: Solution, problem: Problem) -> dict[str, NDArray[Any]]:
    values: dict[str, NDArray[Any]] = {
        "nodes": solution.nodes,
        "cost": np.array(solution.cost(problem)),
    }
    if solution.via_depot is not None:
        values["via_depot"] = solution.via_depot
    return values


def _require_known(values: Mapping[str, Any], known: set[str]) -> None:
    unknown = sorted(set(values) - known)
    if unknown:
        raise InputError(
            f"{unknown[0]!r} is not supported: known names are {', '.join(sorted(known))}"
        )


def _ragged_refused(values: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    arrays = {}
    for key, value in values.items():
        try:
            arrays[key] = np.asarray(value)
        except ValueError:
            raise InputError(f"{key!r} must be an array with rows of equal length") from None
        if arrays[key].dtype == object:
            raise InputError(f"{key!r} holds something that is not a number")
    return arrays


def _scalar(value: NDArray[Any], what: str) -> Any:
    if value.size != 1:
        raise InputError(f"{what!r} must be a single value")
    return value.item()
