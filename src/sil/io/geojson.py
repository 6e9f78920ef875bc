"""Solutions as GeoJSON, to be shown on a map."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from sil.io.atomic import replacing
from sil.problem import Metric, Problem, geo_radians
from sil.solution import Solution


def write_solution(path: Path, solution: Solution, problem: Problem) -> None:
    """Write one LineString a route, with its number, load and length as properties.

    Coordinates of the metric GEO become longitude and latitude in degrees; others stay as
    they are.
    """
    features = [
        _feature(number, route, problem) for number, route in enumerate(solution.routes(), start=1)
    ]
    with replacing(path) as temporary:
        temporary.write_text(
            json.dumps({"type": "FeatureCollection", "name": problem.name, "features": features}),
            encoding="utf-8",
        )


def _feature(number: int, route: np.ndarray, problem: Problem) -> dict[str, Any]:
    anchor = [0] if problem.kind == "CVRP" else route[:1]
    closed = np.concatenate([anchor, route, anchor]) if problem.kind == "CVRP" else np.append(
        route, anchor
    )
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
        "geometry": {"type": "LineString", "coordinates": _positions(problem)[closed].tolist()},
    }


def _positions(problem: Problem) -> np.ndarray:
    if problem.metric is Metric.GEO and problem.coords is not None:
        return np.degrees(geo_radians(problem.coords))[:, ::-1]
    return problem.layout
