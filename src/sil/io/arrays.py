"""Problems and solutions as named arrays, in npz (RL4CO's names) or json."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sil.errors import InputError, excerpt
from sil.io import npz
from sil.io.atomic import replacing
from sil.metric import Metric
from sil.problem import Problem
from sil.solution import Solution
from sil.validate import clean_name, numbers

_PROBLEM = {
    "locs": "numbers",
    "depot": "numbers",
    "demand": "numbers",
    "capacity": "numbers",
    "metric": "text",
    "detour": "numbers",
    "service": "numbers",
    "speed": "numbers",
    "max_distance": "numbers",
    "max_duration": "numbers",
    "max_vehicles": "numbers",
    "matrix": "numbers",
    "name": "text",
    "names": "text",
    "lat": "numbers",
    "lon": "numbers",
    # RL4CO saves this, always 1, together with demands divided by the capacity.
    "vehicle_capacity": "numbers",
}
# Numbers that are written only if they are not these.
_SINGLE = {"detour": 1.0, "speed": 1.0, "max_distance": None, "max_duration": None}
_SOLUTION = {"nodes": "whole numbers", "via_depot": "flags", "cost": "numbers"}


def read_problem_npz(path: Path, index: int | None = None) -> Problem:
    """Read a problem from npz; `index` selects one if the arrays have a batch dimension."""
    values = npz.load(path, _PROBLEM)
    locs = values.get("locs")
    if locs is not None and locs.ndim == 3:
        count = len(locs)
        if index is None and count > 1:
            raise InputError(
                f"this file contains {count} problems: choose one by its index, counted from 0"
            )
        if not 0 <= (index or 0) < count:
            raise InputError(f"there is no problem {index}: this file contains {count}")
        values = {key: _pick(value, index or 0, count, key) for key, value in values.items()}
    elif index not in (None, 0):
        raise InputError(f"there is no problem {index}: this file contains one")
    return _to_problem(values, clean_name(path.stem))


def read_problem_json(path: Path) -> Problem:
    """Read a problem from a json object with the same keys as npz."""
    return _to_problem(_load_json(path, _PROBLEM), clean_name(path.stem))


def write_problem_npz(path: Path, problem: Problem) -> None:
    """Write a problem as npz."""
    npz.save(path, _from_problem(problem))


def write_problems_npz(path: Path, problems: list[Problem]) -> None:
    """Write several problems of equal size as one npz with a batch dimension, as RL4CO does."""
    each = [_from_problem(problem) for problem in problems]
    if len({tuple((key, array.shape) for key, array in arrays.items()) for arrays in each}) != 1:
        raise InputError("a file needs at least one problem, and all of the same kind and size")
    npz.save(path, {key: np.stack([arrays[key] for arrays in each]) for key in each[0]})


def write_problem_json(path: Path, problem: Problem) -> None:
    """Write a problem as json."""
    _save_json(path, _from_problem(problem))


def read_solution_npz(path: Path) -> Solution:
    """Read a solution from npz."""
    return _to_solution(npz.load(path, _SOLUTION))


def read_solution_json(path: Path) -> Solution:
    """Read a solution from json."""
    return _to_solution(_load_json(path, _SOLUTION))


def read_stated_cost_npz(path: Path) -> float | None:
    """Read the cost that a solution file states; None if it states none."""
    return _cost(npz.load(path, _SOLUTION))


def read_stated_cost_json(path: Path) -> float | None:
    """Read the cost that a solution file states; None if it states none."""
    return _cost(_load_json(path, _SOLUTION))


def write_solution_npz(path: Path, solution: Solution, problem: Problem) -> None:
    """Write a solution as npz."""
    npz.save(path, _from_solution(solution, problem))


def write_solution_json(path: Path, solution: Solution, problem: Problem) -> None:
    """Write a solution as json."""
    _save_json(path, _from_solution(solution, problem))


def strict_json(path: Path) -> Any:
    """Read json, but without repeated names, NaN and infinity."""
    try:
        return json.loads(
            path.read_text(encoding="utf-8-sig"),
            object_pairs_hook=_without_duplicates,
            parse_constant=_refuse_constant,
        )
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        if isinstance(error, UnicodeDecodeError):
            raise
        raise InputError(f"this is not valid json: {error}") from error


def _load_json(path: Path, known: Mapping[str, str]) -> dict[str, Any]:
    """Read an object whose names must all be known."""
    values = strict_json(path)
    if not isinstance(values, dict):
        raise InputError("the json must be an object with named arrays")
    for key in values:
        if key not in known:
            raise InputError(
                f"{excerpt(key)} is not supported: known names are {', '.join(sorted(known))}"
            )
    return values


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in pairs:
        if key in values:
            raise InputError(f"{excerpt(key)} appears twice in this file")
        values[key] = value
    return values


def _refuse_constant(constant: str) -> None:
    raise InputError(f"this is not valid json: {constant} is not a number")


def _save_json(path: Path, values: Mapping[str, NDArray[Any]]) -> None:
    with replacing(path) as temporary:
        temporary.write_text(
            json.dumps({key: value.tolist() for key, value in values.items()}), encoding="utf-8"
        )


def _pick(value: NDArray[Any], index: int, count: int, key: str) -> NDArray[Any]:
    if value.ndim == 0:
        return value
    if len(value) != count:
        raise InputError(f"{key!r} has {len(value)} entries for {count} problems")
    return np.asarray(value[index])


def _to_problem(values: Mapping[str, Any], default_name: str) -> Problem:
    parts = {key: numbers(values[key], f"{key!r}") for key in _PROBLEM if _is_numbers(key, values)}
    locs, depot, demand, matrix = (parts.get(k) for k in ("locs", "depot", "demand", "matrix"))
    metric = _text(values, "metric", Metric.EUCLIDEAN)
    if "lat" in parts or "lon" in parts:
        locs, depot, demand = _located(parts)
        metric = _text(values, "metric", Metric.HAVERSINE)
    if locs is None and matrix is None:
        raise InputError("there is neither 'locs' (coordinates) nor 'matrix'")
    if locs is None and depot is not None:
        raise InputError("'depot' needs 'locs'; in a 'matrix', the depot is the first row")
    if (depot is None) != (demand is None) and locs is not None:
        raise InputError("a CVRP needs both 'depot' and 'demand', a TSP has neither")
    if demand is None:
        for key in ("capacity", "vehicle_capacity"):
            if key in parts:
                raise InputError(f"{key!r} needs 'demand': a TSP has neither")
    if depot is not None and locs is not None:
        if locs.ndim != 2 or locs.shape[1] != 2 or depot.shape != (2,):
            raise InputError(
                f"'locs' must have shape (customers, 2) and 'depot' (2,), "
                f"not {locs.shape} and {depot.shape}"
            )
        locs = np.concatenate([depot[None, :], locs])
    capacity = None
    if demand is not None:
        if "capacity" not in parts:
            raise InputError("there is no 'capacity'")
        capacity = _number(parts, "capacity")
        if "vehicle_capacity" in parts and _number(parts, "vehicle_capacity") not in (1, capacity):
            raise InputError("'vehicle_capacity' is neither 1, as RL4CO writes it, nor 'capacity'")
        demand = _with_depot(demand, capacity)
    return Problem(
        coords=locs,
        demand=demand,
        capacity=capacity,
        metric=metric,
        matrix=matrix,
        name=_text(values, "name", default_name),
        names=values.get("names"),
        service=parts.get("service"),
        **_single(parts),
    )


def _is_numbers(key: str, values: Mapping[str, Any]) -> bool:
    return key in values and _PROBLEM[key] == "numbers"


def _single(parts: Mapping[str, NDArray[np.float64]]) -> dict[str, Any]:
    """Return the arguments of a problem that are single numbers."""
    single: dict[str, Any] = {key: _number(parts, key) for key in _SINGLE if key in parts}
    if "max_vehicles" in parts:
        count = _number(parts, "max_vehicles")
        if count % 1 != 0:
            raise InputError(f"'max_vehicles' is {count:g}: it must be a whole number")
        single["max_vehicles"] = int(count)
    return single


def _located(parts: Mapping[str, NDArray[np.float64]]) -> tuple[NDArray[np.float64] | None, ...]:
    """Return the places, the depot and the demand of arrays that have the depot first."""
    lat, lon, demand = parts.get("lat"), parts.get("lon"), parts.get("demand")
    if "locs" in parts or "depot" in parts or lat is None or lon is None:
        raise InputError("'lat' and 'lon' go together, and replace 'locs' and 'depot'")
    if lat.ndim != 1 or lat.shape != lon.shape:
        raise InputError(
            f"'lat' and 'lon' must have the same shape (n,), not {lat.shape} and {lon.shape}"
        )
    locs = np.stack([lat, lon], axis=1)
    if demand is None:
        return locs, None, None
    if demand.shape != lat.shape or demand[:1] != 0:
        raise InputError(
            "with 'lat' and 'lon', the depot is the first place, and its 'demand' is 0"
        )
    return locs[1:], locs[0], demand[1:]


def _with_depot(demand: NDArray[np.float64], capacity: float) -> NDArray[np.float64]:
    """Prepend the depot's zero, and undo RL4CO's division by the capacity."""
    if demand.ndim != 1:
        raise InputError(f"'demand' must have shape (customers,), not {demand.shape}")
    divided = bool(((demand != np.rint(demand)) & (demand < 1)).any())
    if divided:
        with np.errstate(all="ignore"):  # overflows are refused later
            multiplied = demand * capacity
            whole = np.rint(multiplied)
            if np.allclose(multiplied, whole, rtol=0, atol=1e-3):
                demand = whole
    return np.concatenate([[0.0], demand])


def _from_problem(problem: Problem) -> dict[str, NDArray[Any]]:
    values = {"name": np.array(problem.name), "metric": np.array(str(problem.metric))}
    for key, usual in _SINGLE.items():
        if getattr(problem, key) != usual:
            values[key] = np.array(getattr(problem, key))
    if problem.max_vehicles is not None:
        values["max_vehicles"] = np.array(problem.max_vehicles)
    if problem.service is not None:
        values["service"] = problem.service
    coords = problem.coords
    if problem.demand is not None:
        values |= {"demand": problem.demand[1:], "capacity": np.array(problem.capacity)}
        if coords is not None:
            values["depot"], coords = coords[0], coords[1:]
    if coords is not None:
        values["locs"] = coords
    if problem.matrix is not None:
        values["matrix"] = problem.matrix
    if problem.names is not None:
        values["names"] = problem.names
    return values


def _to_solution(values: Mapping[str, Any]) -> Solution:
    if "nodes" not in values:
        raise InputError("there is no 'nodes'")
    _cost(values)  # right or wrong, it must be a number
    return Solution(values["nodes"], values.get("via_depot"))


def _cost(values: Mapping[str, Any]) -> float | None:
    if values.get("cost") is None:
        return None
    cost = _number({"cost": numbers(values["cost"], "'cost'")}, "cost")
    if not np.isfinite(cost):
        raise InputError(f"'cost' is {cost}: it must be finite")
    return cost


def _from_solution(solution: Solution, problem: Problem) -> dict[str, NDArray[Any]]:
    values: dict[str, NDArray[Any]] = {
        "nodes": solution.nodes,
        "cost": np.array(solution.cost(problem)),
    }
    if solution.via_depot is not None:
        values["via_depot"] = solution.via_depot
    return values


def _number(parts: Mapping[str, NDArray[np.float64]], key: str) -> float:
    if parts[key].size != 1:
        raise InputError(f"{key!r} must be a single value")
    return float(parts[key].item())


def _text(values: Mapping[str, Any], key: str, default: str) -> str:
    value = values.get(key, default)
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.item()
    if not isinstance(value, str):
        raise InputError(f"{key!r} is {excerpt(value)}: it must be text")
    return value
