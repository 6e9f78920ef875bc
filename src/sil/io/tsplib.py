"""TSPLIB and VRPLIB problems and tours: .tsp, .vrp and .tour."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sil.errors import InputError
from sil.io.atomic import replacing
from sil.io.keywords import KeywordFile, Section, parse
from sil.metric import Metric
from sil.problem import Problem
from sil.solution import Solution
from sil.validate import clean_name

_FOR_CVRP = (
    "CAPACITY",
    "DEMAND_SECTION",
    "DEPOT_SECTION",
    "DISTANCE",
    "SERVICE_TIME",
    "SERVICE_TIME_SECTION",
    "VEHICLES",
)
_TRIANGLES = {"UPPER_ROW", "LOWER_ROW", "UPPER_DIAG_ROW", "LOWER_DIAG_ROW"}


def read_problem(path: Path) -> Problem:
    """Read a .tsp or .vrp file."""
    file = parse(path)
    kind = file.choice("TYPE", {"TSP", "CVRP"})
    dimension = file.whole_number("DIMENSION")
    metric = file.choice(
        "EDGE_WEIGHT_TYPE", {*map(str, Metric)} - {Metric.EUCLIDEAN, Metric.HAVERSINE}
    )
    file.choice("NODE_COORD_TYPE", {"TWOD_COORDS", "NO_COORDS"}, "TWOD_COORDS")
    if "TOUR_SECTION" in file.lines:
        raise InputError(f"line {file.lines['TOUR_SECTION']}: a tour belongs in a .tour file")
    located = "NODE_COORD_SECTION"
    if metric == Metric.EXPLICIT and located not in file.sections:
        located = "DISPLAY_DATA_SECTION"
    coords = matrix = demand = capacity = None
    if metric != Metric.EXPLICIT or located in file.sections:
        coords = file.section(located).table(3, dimension)
    if metric == Metric.EXPLICIT:
        matrix = _matrix(file, dimension)
    elif "EDGE_WEIGHT_SECTION" in file.sections:
        raise InputError(
            f"line {file.lines['EDGE_WEIGHT_SECTION']}: EDGE_WEIGHT_SECTION needs "
            f"EDGE_WEIGHT_TYPE EXPLICIT, not {metric}"
        )
    if kind == "CVRP":
        demand = file.section("DEMAND_SECTION").table(2, dimension)[:, 0]
        capacity = file.whole_number("CAPACITY")
        _require_one_depot(file.section("DEPOT_SECTION"))
    else:
        for keyword in _FOR_CVRP:
            if keyword in file.lines:
                raise InputError(f"line {file.lines[keyword]}: {keyword} needs TYPE CVRP, not TSP")
    name = file.text("NAME", clean_name(path.stem))
    return Problem(
        coords, demand, capacity, Metric(metric), matrix, name, **_route_limits(file, dimension)
    )


def read_tour(path: Path) -> Solution:
    """Read a TSPLIB tour, which numbers nodes from 1 and ends with -1."""
    file = parse(path)
    file.choice("TYPE", {"TOUR"}, "TOUR")
    section = file.section("TOUR_SECTION")
    for other in file.sections.keys() - {"TOUR_SECTION"}:
        raise InputError(f"line {file.lines[other]}: {other} does not belong in a .tour file")
    values = section.values()
    end = np.flatnonzero(values == -1)
    if len(end) == 0:
        raise InputError("TOUR_SECTION does not end with -1: is the file complete?")
    nodes, rest = values[: end[0]], values[end[0] + 1 :]
    if not (rest == -1).all():
        raise InputError("TOUR_SECTION continues after -1: several tours are not supported")
    if not ((nodes == np.rint(nodes)) & (np.abs(nodes) < 2**31)).all():
        raise InputError("TOUR_SECTION must contain node numbers")
    if "DIMENSION" in file.specifications and file.whole_number("DIMENSION") != len(nodes):
        raise InputError(
            f"the tour has {len(nodes)} nodes, but DIMENSION is {file.whole_number('DIMENSION')}"
        )
    return Solution(nodes.astype(np.int64) - 1)


def write_problem(path: Path, problem: Problem) -> None:
    """Write a .tsp or .vrp file."""
    require_expressible_limits(problem)
    with replacing(path) as temporary:
        temporary.write_text("\n".join(_problem_lines(problem)) + "\n", encoding="utf-8")


def write_tour(path: Path, solution: Solution, problem: Problem) -> None:
    """Write a TSPLIB tour."""
    lines = [
        f"NAME : {problem.name}",
        f"COMMENT : length {solution.cost(problem)}",
        "TYPE : TOUR",
        f"DIMENSION : {len(solution.nodes)}",
        "TOUR_SECTION",
        *map(str, (solution.nodes + 1).tolist()),
        "-1",
        "EOF",
    ]
    with replacing(path) as temporary:
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _route_limits(file: KeywordFile, dimension: int) -> dict[str, Any]:
    """Read limits of routes.

    As usual in VRPLIB, DISTANCE includes service times, if there are any, and the speed is 1.
    """
    limits: dict[str, Any] = {}
    if "VEHICLES" in file.specifications:
        limits["max_vehicles"] = file.whole_number("VEHICLES")
    time = file.number("SERVICE_TIME")
    if "SERVICE_TIME_SECTION" in file.sections:
        if time is not None:
            raise InputError(
                f"line {file.lines['SERVICE_TIME']}: SERVICE_TIME and SERVICE_TIME_SECTION "
                "contradict each other: keep one of them"
            )
        limits["service"] = file.section("SERVICE_TIME_SECTION").table(2, dimension)[:, 0]
    elif time is not None:
        limits["service"] = np.where(np.arange(dimension) > 0, time, 0.0)
    if (limit := file.number("DISTANCE")) is not None:
        limits["max_duration" if "service" in limits else "max_distance"] = limit
    return limits


def _matrix(file: KeywordFile, dimension: int) -> NDArray[np.float64]:
    section = file.section("EDGE_WEIGHT_SECTION")
    layout = file.choice("EDGE_WEIGHT_FORMAT", {"FULL_MATRIX"} | _TRIANGLES)
    lower, diagonal = layout.startswith("LOWER"), "_DIAG_" in layout
    values = section.values()
    expected = dimension**2
    if layout in _TRIANGLES:
        expected = (
            dimension * (dimension + 1) // 2 if diagonal else dimension * (dimension - 1) // 2
        )
    if len(values) != expected:
        raise InputError(
            f"line {section.first_line - 1}: EDGE_WEIGHT_SECTION has {len(values)} numbers; "
            f"{layout} of {dimension} nodes needs {expected}"
        )
    if layout == "FULL_MATRIX":
        return values.reshape(dimension, dimension)
    matrix = np.zeros((dimension, dimension))
    offset = 0 if diagonal else 1
    where = np.tril_indices(dimension, -offset) if lower else np.triu_indices(dimension, offset)
    matrix[where] = values
    return matrix + matrix.T  # the diagonal is not used


def _require_one_depot(section: Section) -> None:
    values = section.values().tolist()
    end = values.index(-1) if -1 in values else len(values)
    depots = values[:end] + [value for value in values[end:] if value != -1]
    if len(depots) > 1:
        raise InputError(
            f"line {section.first_line}: DEPOT_SECTION lists {len(depots)} depots: "
            "several depots are not supported"
        )
    if depots != [1]:
        raise InputError(
            f"line {section.first_line}: DEPOT_SECTION must name node 1, because solutions number "
            "the customers from 1: put the depot first"
        )


def _problem_lines(problem: Problem) -> Iterator[str]:
    yield f"NAME : {problem.name}"
    yield "COMMENT : written by sil"  # some programs expect the dimension on the fourth line
    yield f"TYPE : {problem.kind}"
    yield f"DIMENSION : {problem.dimension}"
    yield f"EDGE_WEIGHT_TYPE : {problem.metric}"
    located = "NODE_COORD_SECTION"
    if problem.matrix is not None:
        yield "EDGE_WEIGHT_FORMAT : FULL_MATRIX"
        if problem.coords is not None:
            yield "DISPLAY_DATA_TYPE : TWOD_DISPLAY"
        located = "DISPLAY_DATA_SECTION"
    if problem.capacity is not None:
        yield f"CAPACITY : {problem.capacity}"
    if problem.max_vehicles is not None:
        yield f"VEHICLES : {problem.max_vehicles}"
    if problem.has_route_limits:
        yield f"DISTANCE : {_shortest(problem.max_distance or problem.max_duration or 0)}"
    section = _service_section(problem)
    if problem.service is not None and not section:
        yield f"SERVICE_TIME : {_shortest(float(problem.service[-1]))}"
    if problem.coords is not None:
        yield located
        for node, (x, y) in enumerate(problem.coords.tolist(), start=1):
            yield f"{node} {_shortest(x)} {_shortest(y)}"
    if problem.matrix is not None:
        yield "EDGE_WEIGHT_SECTION"
        for row in problem.matrix.tolist():
            yield " ".join(map(_shortest, row))
    yield from section
    if problem.demand is not None:
        yield "DEMAND_SECTION"
        for node, demand in enumerate(problem.demand.tolist(), start=1):
            yield f"{node} {demand}"
        yield "DEPOT_SECTION"
        yield "1"
        yield "-1"
    yield "EOF"


def _service_section(problem: Problem) -> list[str]:
    """Return the service times as a section; nothing if a keyword can express them."""
    if problem.service is None or (problem.service[1:] == problem.service[-1]).all():
        return []
    times = enumerate(problem.service.tolist(), start=1)
    return ["SERVICE_TIME_SECTION", *(f"{node} {_shortest(time)}" for node, time in times)]


def require_expressible_limits(problem: Problem) -> None:
    """Refuse limits that VRPLIB cannot express: DISTANCE includes service times, at speed 1."""
    both = problem.max_distance is not None and problem.max_duration is not None
    fast = problem.max_duration is not None and problem.speed != 1
    mixed = problem.max_distance is not None and problem.service is not None
    bare = problem.max_duration is not None and problem.service is None
    if both or fast or mixed or bare:
        raise InputError(
            "VRPLIB has one limit, DISTANCE, for length and service times together: write npz or "
            "json for a speed, or for limits of length and duration"
        )


def _shortest(value: float) -> str:
    """Write a number as briefly as possible without changing its value."""
    return str(int(value)) if value == int(value) else repr(value)
