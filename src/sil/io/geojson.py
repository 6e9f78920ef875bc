"""GeoJSON: problems from points, and solutions for maps."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sil.errors import InputError, excerpt
from sil.io.atomic import replacing
from sil.io.sheet import Sheet
from sil.io.table import to_problem
from sil.problem import Problem
from sil.solution import Solution
from sil.validate import clean_name


def read_problem(path: Path, capacity: int | None = None, depot: str | None = None) -> Problem:
    """Read a collection of points, whose properties are named like the columns of a table."""
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        if isinstance(error, UnicodeDecodeError):
            raise
        raise InputError(f"this is not valid json: {error}") from error
    if not isinstance(content, dict) or not isinstance(content.get("features"), list):
        raise InputError("this is not a GeoJSON FeatureCollection of points")
    rows = [_row(feature, number) for number, feature in enumerate(content["features"], start=1)]
    header = list(dict.fromkeys(key for row in rows for key in row))
    cells: list[list[str | float]] = [[row.get(key, "") for key in header] for row in rows]
    sheet = Sheet(header, cells, list(range(1, len(rows) + 1)), unit="feature")
    return to_problem(sheet, clean_name(path.stem), capacity, depot)


def write_solution(path: Path, solution: Solution, problem: Problem) -> None:
    """Write one line per route, with its number, load, length and ids as properties.

    Coordinates of the metrics GEO and HAVERSINE are written as longitude and latitude in degrees;
    others are written unchanged. A line that crosses the date line is divided there, as GeoJSON
    demands.
    """
    positions = _positions(problem)
    features = [
        _line(number, route, problem, positions)
        for number, route in enumerate(solution.routes(), start=1)
    ]
    with replacing(path) as temporary:
        temporary.write_text(
            json.dumps({"type": "FeatureCollection", "name": problem.name, "features": features}),
            encoding="utf-8",
        )


def _row(feature: Any, number: int) -> dict[str, str | float]:
    """Return the properties of a point and its longitude and latitude, by name."""
    try:
        kind, place = feature["geometry"]["type"], feature["geometry"]["coordinates"]
        properties = feature.get("properties") or {}
        if kind != "Point" or not all(isinstance(value, (int, float)) for value in place[:2]):
            raise ValueError
        lon, lat = map(float, place[:2])
    except (TypeError, KeyError, ValueError, AttributeError, OverflowError):
        raise InputError(
            f"feature {number} is not a point with a longitude and a latitude: {excerpt(feature)}"
        ) from None
    if not isinstance(properties, dict):
        raise InputError(f"the properties of feature {number} are {excerpt(properties)}")
    cells = {key: _cell(value) for key, value in properties.items() if isinstance(key, str)}
    return {**cells, "lon": lon, "lat": lat}


def _cell(value: Any) -> str | float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    return "" if value is None else str(value)


def _line(
    number: int, route: NDArray[np.int32], problem: Problem, positions: NDArray[np.float64]
) -> dict[str, Any]:
    ring = np.insert(route, 0, 0) if problem.kind == "CVRP" else route
    closed = np.append(ring, ring[:1])
    properties: dict[str, Any] = {
        "route": number,
        "nodes": len(route),
        "length": problem.sum_of(problem.distance(closed[:-1], closed[1:])),
    }
    if problem.demand is not None:
        properties["load"] = int(problem.demand[route].sum())
    if problem.names is not None:
        properties["ids"] = problem.names[route].tolist()
    lines = _divided(positions[closed]) if problem.is_on_earth else [positions[closed].tolist()]
    geometry = {"type": "LineString", "coordinates": lines[0]}
    if len(lines) > 1:
        geometry = {"type": "MultiLineString", "coordinates": lines}
    return {"type": "Feature", "properties": properties, "geometry": geometry}


def _divided(line: NDArray[np.float64]) -> list[list[list[float]]]:
    """Divide a line of longitudes and latitudes where it crosses the date line."""
    pieces: list[list[list[float]]] = [[line[0].tolist()]]
    for (lon, lat), (next_lon, next_lat) in pairwise(line):
        if abs(next_lon - lon) > 180:
            side = 180.0 if lon > 0 else -180.0
            unrolled = next_lon + 2 * side
            crossing = lat + (next_lat - lat) * (side - lon) / (unrolled - lon)
            pieces[-1].append([side, float(crossing)])
            pieces.append([[-side, float(crossing)]])
        pieces[-1].append([float(next_lon), float(next_lat)])
    return pieces


def _positions(problem: Problem) -> NDArray[np.float64]:
    return problem.layout if problem.lon_lat is None else problem.lon_lat
