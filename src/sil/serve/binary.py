"""Arrays for the page: where the nodes lie, and the routes through them.

Both files are little-endian, and the page reads them as typed arrays.

Points: "SILP", flags (1: Web Mercator), number of nodes, depots (1 for CVRP); the origin, two
64-bit floats; then x and y of each node relative to it, 32-bit floats. In Web Mercator the unit is
the width of the world.

Routes: "SILR", number of nodes, number of routes, 0; the cost, a 64-bit float; the length and then
the load of each route, 64-bit floats; then the nodes in the order of their visit, 32-bit integers.
The first node n of a route is written as -1 - n.
"""

import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sil.errors import InputError
from sil.io.atomic import replacing
from sil.problem import Problem
from sil.solution import Solution

_POINTS = struct.Struct("<4sIIIdd")
_ROUTES = struct.Struct("<4sIIId")
_MERCATOR = 1
_MOST_LATITUDE = 85.05  # degrees; Web Mercator's map is a square


def write_points(path: Path, problem: Problem) -> None:
    """Write where the nodes lie, in Web Mercator if they lie on the earth."""
    degrees = problem.lon_lat
    points = problem.layout if degrees is None else _web_mercator(degrees)
    low, high = points.min(axis=0), points.max(axis=0)
    origin = (low + high) / 2
    header = _POINTS.pack(
        b"SILP",
        0 if degrees is None else _MERCATOR,
        len(points),
        int(problem.kind == "CVRP"),
        *origin.tolist(),
    )
    _write(path, header, (points - origin).astype("<f4"))


def write_routes(path: Path, solution: Solution, problem: Problem) -> None:
    """Write a solution with the length and load of each route."""
    nodes, starts = solution.nodes, solution.starts
    marked = nodes.copy()
    marked[starts] = -1 - marked[starts]
    lengths = _route_lengths(problem, nodes, starts)
    loads = np.zeros(len(starts))
    if problem.demand is not None and len(starts):
        loads = np.add.reduceat(problem.demand[nodes], starts).astype(np.float64)
    header = _ROUTES.pack(b"SILR", len(nodes), len(starts), 0, float(solution.cost(problem)))
    _write(path, header, lengths.astype("<f8"), loads.astype("<f8"), marked.astype("<i4"))


def read_routes(path: Path, problem: Problem) -> Solution:
    """Read a solution, without checking it against the problem."""
    content = path.read_bytes()
    try:
        sign, nodes, routes, _, _ = _ROUTES.unpack_from(content)
        begin = _ROUTES.size + 16 * routes
        if sign != b"SILR" or len(content) != begin + 4 * nodes:
            raise ValueError
    except (struct.error, ValueError):
        raise InputError(f"{path}: this is not a complete file of routes") from None
    marked = np.frombuffer(content, "<i4", offset=begin)
    is_start = marked < 0
    order = np.where(is_start, -1 - marked, marked)
    return Solution(order, is_start if problem.kind == "CVRP" else None)


def _route_lengths(
    problem: Problem, nodes: NDArray[np.int32], starts: NDArray[np.int32]
) -> NDArray[Any]:
    if not len(starts):
        return np.zeros(0)
    ends = np.append(starts[1:], len(nodes)) - 1
    steps = np.zeros(len(nodes))
    steps[1:] = problem.distance(nodes[:-1], nodes[1:])
    if problem.kind == "TSP":
        steps[0] = problem.distance(nodes[-1], nodes[0])
        return np.array([steps.sum()])
    steps[starts] = problem.distance(0, nodes[starts])
    steps[starts] += problem.distance(nodes[ends], 0)
    lengths: NDArray[np.float64] = np.add.reduceat(steps, starts)
    return lengths


def _web_mercator(degrees: NDArray[np.float64]) -> NDArray[np.float64]:
    """Project longitudes and latitudes onto the unit square, y downwards as in map tiles."""
    latitude = np.radians(np.clip(degrees[:, 1], -_MOST_LATITUDE, _MOST_LATITUDE))
    y = 0.5 - np.arcsinh(np.tan(latitude)) / (2 * np.pi)
    return np.stack([degrees[:, 0] / 360 + 0.5, y], axis=1)


def _write(path: Path, header: bytes, *arrays: NDArray[Any]) -> None:
    with replacing(path) as temporary, temporary.open("wb") as file:
        file.write(header)
        for array in arrays:
            file.write(np.ascontiguousarray(array).tobytes())
