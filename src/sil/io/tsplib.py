"""TSPLIB and VRPLIB files: .tsp, .vrp, .tour and .sol.

The specifications and the .sol files are parsed by `vrplib`. The number tables are parsed here:
`vrplib` drops the node numbers, without which a shuffled file would be read as another problem,
and is slow at a million rows.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import vrplib
from numpy.typing import NDArray
from vrplib.parse import parse_vrplib

from sil.errors import InputError
from sil.io.atomic import replacing
from sil.problem import Metric, Problem
from sil.solution import Solution

_SPECIFICATIONS = {
    "NAME",
    "COMMENT",
    "TYPE",
    "DIMENSION",
    "CAPACITY",
    "EDGE_WEIGHT_TYPE",
    "EDGE_WEIGHT_FORMAT",
    "NODE_COORD_TYPE",
    "DISPLAY_DATA_TYPE",
}
_SECTIONS = {
    "NODE_COORD_SECTION",
    "DEMAND_SECTION",
    "DEPOT_SECTION",
    "EDGE_WEIGHT_SECTION",
    "DISPLAY_DATA_SECTION",
    "TOUR_SECTION",
}
_UNSUPPORTED = {
    "DISTANCE": "route-length limits",
    "SERVICE_TIME": "service times",
    "VEHICLES": "limits on the number of vehicles",
    "TIME_WINDOW_SECTION": "time windows",
    "SERVICE_TIME_SECTION": "service times",
    "BACKHAUL_SECTION": "backhauls",
    "LINEHAUL_SECTION": "backhauls",
    "PICKUP_AND_DELIVERY_SECTION": "pickups and deliveries",
    "FIXED_EDGES_SECTION": "fixed edges",
    "EDGE_DATA_SECTION": "sparse graphs",
    "VEHICLES_DEPOT_SECTION": "several depots",
    "VEHICLES_ALLOWED_CLIENTS_SECTION": "allowed clients",
    "CAPACITY_SECTION": "vehicles of several kinds",
}


@dataclass(frozen=True)
class _Section:
    """The lines of a data section; `first_line` is the file's line number of the first of them."""

    keyword: str
    first_line: int
    lines: list[str]

    def rows(self) -> Iterator[tuple[int, str]]:
        """Give the lines that hold data, with their line numbers."""
        for number, line in enumerate(self.lines, start=self.first_line):
            if (stripped := line.strip()) and not stripped.startswith("#"):
                yield number, stripped

    def table(self, columns: int, dimension: int) -> NDArray[np.float64]:
        """Parse rows of a node number, from 1 in order, and further columns; return the latter."""
        lines = [line for _, line in self.rows()]
        table = np.empty((0, columns))
        try:
            if lines:
                table = np.loadtxt(lines, dtype=np.float64, comments=None, ndmin=2)
        except ValueError:
            table = np.empty((len(lines), 0))
        if table.shape[1] != columns:
            self._refuse_row(columns)
        wrong = table[:, 0] != np.arange(1, len(table) + 1)
        if wrong.any():
            row = int(np.argmax(wrong))
            number, line = list(self.rows())[row]
            raise InputError(
                f"line {number}: {self.keyword} must list the nodes 1, 2, 3 … in order; "
                f"expected node {row + 1}, found {line!r}"
            )
        if len(table) != dimension:
            raise InputError(
                f"line {self.first_line - 1}: {self.keyword} has {len(table)} rows, "
                f"but DIMENSION is {dimension}"
            )
        return table[:, 1:]

    def _refuse_row(self, columns: int) -> None:
        """Find the row that is not so many numbers, and name it."""
        for number, line in self.rows():
            try:
                fits = len([float(field) for field in line.split()]) == columns
            except ValueError:
                fits = False
            if not fits:
                raise InputError(
                    f"line {number}: {self.keyword} needs {columns} numbers a row, found {line!r}"
                )
        raise InputError(f"line {self.first_line}: {self.keyword} cannot be read as numbers")

    def values(self) -> NDArray[np.float64]:
        """Parse all numbers, however they are spread over lines."""
        found: list[float] = []
        for number, line in self.rows():
            try:
                found.extend(float(field) for field in line.split())
            except ValueError:
                raise InputError(
                    f"line {number}: {self.keyword} holds numbers only, found {line[:60]!r}"
                ) from None
        return np.array(found)


@dataclass(frozen=True)
class _File:
    specifications: dict[str, str | int | float]
    lines: dict[str, int]  # where each keyword stands
    sections: dict[str, _Section]

    def text(self, keyword: str, default: str | None = None) -> str:
        value = self.specifications.get(keyword, default)
        if value is None:
            raise InputError(f"there is no {keyword}")
        return str(value).strip()

    def whole_number(self, keyword: str) -> int:
        value = self.specifications.get(keyword)
        if value is None:
            raise InputError(f"there is no {keyword}")
        if not isinstance(value, (int, float)) or not 1 <= value < 2**53 or value % 1:
            raise InputError(
                f"line {self.lines[keyword]}: {keyword} is {value!r}, not a whole number above 0"
            )
        return int(value)

    def section(self, keyword: str) -> _Section:
        if keyword not in self.sections:
            raise InputError(f"there is no {keyword}")
        return self.sections[keyword]


def read_problem(path: Path) -> Problem:
    """Read a .tsp or .vrp file."""
    file = _parse(path)
    kind = file.text("TYPE").upper()
    if kind not in ("TSP", "CVRP"):
        raise InputError(
            f"line {file.lines['TYPE']}: TYPE {kind} is not supported, only TSP and CVRP"
        )
    dimension = file.whole_number("DIMENSION")
    metric = file.text("EDGE_WEIGHT_TYPE").upper()
    if metric not in set(Metric) - {Metric.EUCLIDEAN}:
        raise InputError(
            f"line {file.lines['EDGE_WEIGHT_TYPE']}: EDGE_WEIGHT_TYPE {metric} is not supported"
        )
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
        for keyword in ("CAPACITY", "DEMAND_SECTION", "DEPOT_SECTION"):
            if keyword in file.lines:
                raise InputError(f"line {file.lines[keyword]}: {keyword} needs TYPE CVRP, not TSP")
    name = file.text("NAME", path.stem)
    return Problem(coords, demand, capacity, Metric(metric), matrix, name)


def read_tour(path: Path) -> Solution:
    """Read a TSPLIB tour, which counts nodes from 1 and ends with -1."""
    file = _parse(path)
    nodes = file.section("TOUR_SECTION").values()
    end = np.flatnonzero(nodes == -1)
    if len(end) == 0:
        raise InputError("TOUR_SECTION does not end with -1: is the file complete?")
    nodes = nodes[: end[0]]
    if not (nodes == np.rint(nodes)).all() or (np.abs(nodes) > 2**30).any():
        raise InputError("TOUR_SECTION must hold node numbers")
    if "DIMENSION" in file.specifications and file.whole_number("DIMENSION") != len(nodes):
        raise InputError(
            f"the tour has {len(nodes)} nodes, but DIMENSION is {file.whole_number('DIMENSION')}"
        )
    return Solution(nodes.astype(np.int32) - 1)


def read_routes(path: Path) -> Solution:
    """Read a CVRPLIB solution, which counts customers from 1, the depot being 0."""
    try:
        routes = vrplib.read_solution(path)["routes"]
        if not any(routes):
            raise InputError("there is no line 'Route #1: …'")
        return Solution.from_routes([np.array(route, dtype=np.int64) for route in routes])
    except (ValueError, IndexError, OverflowError) as error:
        if isinstance(error, (InputError, UnicodeDecodeError)):
            raise
        raise InputError(f"this is not a CVRPLIB solution: {error}") from error


def read_stated_cost(path: Path) -> Any:
    """Read the cost that a CVRPLIB solution states; None if it states none."""
    return vrplib.read_solution(path).get("cost")


def write_problem(path: Path, problem: Problem) -> None:
    """Write a .tsp or .vrp file."""
    if problem.metric is Metric.EUCLIDEAN:
        raise InputError(
            f"{path}: TSPLIB has no exact Euclidean distances; choose a rounding metric such as "
            "EUC_2D, or write npz or json"
        )
    if (path.suffix.lower() == ".tsp") != (problem.kind == "TSP"):
        raise InputError(f"{path}: a TSP is written as .tsp and a CVRP as .vrp")
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


def write_routes(path: Path, solution: Solution, problem: Problem) -> None:
    """Write a CVRPLIB solution."""
    with replacing(path) as temporary:
        vrplib.write_solution(
            temporary,
            [route.tolist() for route in solution.routes()],
            {"Cost": solution.cost(problem)},
        )


def _parse(path: Path) -> _File:
    """Split a file into specifications and sections, refusing whatever is not understood."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    found: dict[str, int] = {}
    specifications: list[str] = []
    headers: list[tuple[str, int]] = []  # section keyword, index of its line
    end = len(lines)
    for index, line in enumerate(lines):
        stripped = line.strip()
        # Most lines are rows of numbers: get past them quickly.
        if not stripped or stripped[0] == "#" or (headers and not stripped[0].isalpha()):
            continue
        if stripped == "EOF":
            end = index
            break
        keyword = stripped.partition(":")[0].strip().upper()
        if keyword.endswith("_SECTION"):
            headers.append((keyword, index))
        elif ":" in stripped and not headers:
            specifications.append(stripped)
        elif headers and keyword not in _SPECIFICATIONS | set(_UNSUPPORTED):
            continue  # no row of numbers: its section will refuse it
        else:
            raise InputError(f"line {index + 1}: cannot make sense of {stripped[:60]!r} here")
        if keyword in found:
            raise InputError(f"line {index + 1}: {keyword} stands here for the second time")
        _require_supported(keyword, index + 1)
        found[keyword] = index + 1
    if end == len(lines) and not text.endswith("\n"):
        raise InputError("the file ends in the middle of a line, without EOF: is it complete?")

    sections: dict[str, _Section] = {}
    for keyword, index in reversed(headers):
        sections[keyword] = _Section(keyword, index + 2, lines[index + 1 : end])
        end = index
    values: dict[str, Any] = parse_vrplib("\n".join(specifications), compute_edge_weights=False)
    return _File({key.upper(): value for key, value in values.items()}, found, sections)


def _require_supported(keyword: str, line: int) -> None:
    if keyword in _UNSUPPORTED:
        raise InputError(f"line {line}: {keyword}: {_UNSUPPORTED[keyword]} are not supported")
    if keyword not in _SPECIFICATIONS | _SECTIONS:
        raise InputError(f"line {line}: the keyword {keyword} is not supported")


def _matrix(file: _File, dimension: int) -> NDArray[np.float64]:
    section = file.section("EDGE_WEIGHT_SECTION")
    layout = file.text("EDGE_WEIGHT_FORMAT").upper()
    lower, diagonal = layout.startswith("LOWER"), "_DIAG_" in layout
    triangles = {"UPPER_ROW", "LOWER_ROW", "UPPER_DIAG_ROW", "LOWER_DIAG_ROW"}
    if layout != "FULL_MATRIX" and layout not in triangles:
        raise InputError(
            f"line {file.lines['EDGE_WEIGHT_FORMAT']}: EDGE_WEIGHT_FORMAT {layout} is not supported"
        )
    values = section.values()
    expected = dimension**2
    if layout in triangles:
        expected = (
            dimension * (dimension + 1) // 2 if diagonal else dimension * (dimension - 1) // 2
        )
    if len(values) != expected:
        raise InputError(
            f"line {section.first_line - 1}: EDGE_WEIGHT_SECTION holds {len(values)} numbers; "
            f"{layout} of {dimension} nodes needs {expected}"
        )
    if layout == "FULL_MATRIX":
        return values.reshape(dimension, dimension)
    matrix = np.zeros((dimension, dimension))
    offset = 0 if diagonal else 1
    where = np.tril_indices(dimension, -offset) if lower else np.triu_indices(dimension, offset)
    matrix[where] = values
    return matrix + matrix.T  # the diagonal is not used


def _require_one_depot(section: _Section) -> None:
    values = section.values().tolist()
    depots = values[: values.index(-1)] if -1 in values else values
    if len(depots) > 1:
        raise InputError(
            f"line {section.first_line}: DEPOT_SECTION lists {len(depots)} depots: "
            "several depots are not supported"
        )
    if depots != [1]:
        raise InputError(
            f"line {section.first_line}: DEPOT_SECTION must name node 1, so that solutions count "
            "the customers from 1: put the depot first"
        )


def _problem_lines(problem: Problem) -> Iterator[str]:
    yield f"NAME : {problem.name}"
    yield "COMMENT : written by sil"  # some programs take the fourth line for the dimension
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
    if problem.coords is not None:
        yield located
        for node, (x, y) in enumerate(problem.coords.tolist(), start=1):
            yield f"{node} {_shortest(x)} {_shortest(y)}"
    if problem.matrix is not None:
        yield "EDGE_WEIGHT_SECTION"
        for row in problem.matrix.tolist():
            yield " ".join(map(_shortest, row))
    if problem.demand is not None:
        yield "DEMAND_SECTION"
        for node, demand in enumerate(problem.demand.tolist(), start=1):
            yield f"{node} {demand}"
        yield "DEPOT_SECTION"
        yield "1"
        yield "-1"
    yield "EOF"


def _shortest(value: float) -> str:
    """Write a number so that it reads back as the same."""
    return str(int(value)) if value == int(value) else repr(value)
