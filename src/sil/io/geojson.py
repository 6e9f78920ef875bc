"""Solutions as GeoJSON, for maps."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sil.io.atomic import replacing
from sil.metric import Metric, geo_radians
from sil.problem import Problem
from sil.solution import Solution


def write_solution(path: Path, solution: Solution, problem: Problem) -> None:
    """Write one LineString per route, with its number, load and length as properties.

    Coordinates of the metrics GEO and HAVERSINE are written as longitude and latitude in degrees;
    others are written unchanged.
    """
    positions = _positions(problem)
    features = [
        _feature(number, route, problem, positions)
        for number, route in enumerate(solution.routes(), start=1)
    ]
    with replacing(path) as temporary:
        temporary.write_text(
            json.dumps({"type": "FeatureCollection", "name": problem.name, "features": features}),
            encoding="utf-8",
        )


def _feature(
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
    return {
        "type": "Feature",
        "properties": properties,
        "geometry": {"type": "LineString", "coordinates": positions[closed].tolist()},
    }


def _positions(problem: Problem) -> NDArray[np.float64]:
    if problem.metric is Metric.GEO and problem.coords is not None:
        return np.degrees(geo_radians(problem.coords))[:, ::-1]
    if problem.metric is Metric.HAVERSINE and problem.coords is not None:
        return problem.coords[:, ::-1]
    return problem.layout
