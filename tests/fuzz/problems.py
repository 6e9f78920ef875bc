"""Problems as plain numbers: written in every format, and an independent check of solutions.

Nothing here uses the package under attack.
"""

import io
import json
import math
import random
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Instance:
    """A valid problem; one with demands is a CVRP with the depot first."""

    coords: list[tuple[float, float]] | None
    demand: list[int] | None = None
    capacity: int | None = None
    metric: str = "EUC_2D"
    matrix: list[list[float]] | None = None
    name: str = "x"

    @property
    def dimension(self) -> int:
        return len(self.coords if self.coords is not None else self.matrix or [])

    @property
    def kind(self) -> str:
        return "TSP" if self.demand is None else "CVRP"

    @property
    def ending(self) -> str:
        """Of the TSPLIB file."""
        return ".tsp" if self.demand is None else ".vrp"

    def lines(self) -> list[str]:
        """Write as TSPLIB."""
        found = [f"NAME : {self.name}", f"TYPE : {self.kind}", f"DIMENSION : {self.dimension}"]
        found.append(f"EDGE_WEIGHT_TYPE : {self.metric}")
        if self.matrix is not None:
            found.append("EDGE_WEIGHT_FORMAT : FULL_MATRIX")
        if self.capacity is not None:
            found.append(f"CAPACITY : {self.capacity}")
        if self.coords is not None:
            found.append("NODE_COORD_SECTION")
            found += [f"{i} {x!r} {y!r}" for i, (x, y) in enumerate(self.coords, start=1)]
        if self.matrix is not None:
            found.append("EDGE_WEIGHT_SECTION")
            found += [" ".join(map(repr, row)) for row in self.matrix]
        if self.demand is not None:
            found.append("DEMAND_SECTION")
            found += [f"{i} {d}" for i, d in enumerate(self.demand, start=1)]
            found += ["DEPOT_SECTION", "1", "-1"]
        return [*found, "EOF"]

    def arrays(self) -> dict[str, object]:
        """Write as the named arrays of npz and json files."""
        values: dict[str, object] = {"metric": self.metric, "name": self.name}
        if self.coords is not None:
            values["locs"] = self.coords if self.demand is None else self.coords[1:]
        if self.demand is not None:
            values |= {"demand": self.demand[1:], "capacity": self.capacity}
            if self.coords is not None:
                values["depot"] = self.coords[0]
        if self.matrix is not None:
            values["matrix"] = self.matrix
        return values

    def text(self, ending: str) -> bytes:
        """Write as a file of this ending."""
        if ending in (".tsp", ".vrp"):
            return ("\n".join(self.lines()) + "\n").encode()
        if ending == ".json":
            return json.dumps(self.arrays()).encode()
        if ending == ".npz":
            return npz(self.arrays())
        rows = ["x,y" if self.demand is None else "x,y,demand"]
        for i, (x, y) in enumerate(self.coords or []):
            rows.append(f"{x!r},{y!r}" + ("" if self.demand is None else f",{self.demand[i]}"))
        return ("\n".join(rows) + "\n").encode()

    def distance(self, a: int, b: int) -> float:
        if a == b:
            return 0.0
        if self.matrix is not None:
            return self.matrix[a][b]
        assert self.coords is not None
        (ax, ay), (bx, by) = self.coords[a], self.coords[b]
        if self.metric == "GEO":
            return _geo(self.coords[a], self.coords[b])
        if self.metric == "ATT":
            return math.ceil(math.sqrt(((ax - bx) ** 2 + (ay - by) ** 2) / 10.0))
        length = math.sqrt((ax - bx) ** 2 + (ay - by) ** 2)
        if self.metric == "EUC_2D":
            return math.floor(length + 0.5)
        return math.ceil(length) if self.metric == "CEIL_2D" else length

    def fault(self, routes: list[list[int]], stated: float | None) -> str | None:
        """Say what is wrong with routes, or a tour, of this problem."""
        first = int(self.demand is not None)
        if sorted(node for route in routes for node in route) != [*range(first, self.dimension)]:
            return f"the nodes are not each visited once: {str(routes)[:200]}"
        cost = 0.0
        for route in routes:
            closed = [0, *route, 0] if self.demand is not None else [*route, route[0]]
            cost += sum(self.distance(a, b) for a, b in pairwise(closed))
            if self.demand is not None and self.capacity is not None:
                load = sum(self.demand[node] for node in route)
                if load > self.capacity:
                    return f"a route carries {load} of {self.capacity}"
        if stated is not None and abs(stated - cost) > 1e-9 * max(1.0, cost):
            return f"the stated cost is {stated!r}, it is {cost!r}"
        return None


def _geo(a: tuple[float, float], b: tuple[float, float]) -> float:
    def radians(x: float) -> float:
        degrees = math.trunc(x)
        return 3.141592 * (degrees + 5.0 * (x - degrees) / 3.0) / 180.0

    q1 = math.cos(radians(a[1]) - radians(b[1]))
    q2 = math.cos(radians(a[0]) - radians(b[0]))
    q3 = math.cos(radians(a[0]) + radians(b[0]))
    cosine = max(-1.0, min(1.0, 0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3)))
    return math.floor(6378.388 * math.acos(cosine) + 1.0)


def npz(values: dict[str, object]) -> bytes:
    """Write named arrays."""
    stream = io.BytesIO()
    np.savez(stream, **{key: np.asarray(value) for key, value in values.items()})
    return stream.getvalue()


def routes_in(path: Path) -> tuple[list[list[int]], float | None]:
    """Read routes, or a tour as the only one, and the cost that a file states."""
    if path.suffix == ".tour":
        words = path.read_text().split("TOUR_SECTION")[1].split()
        return [[int(word) - 1 for word in words[: words.index("-1")]]], None
    if path.suffix == ".sol":
        lines = path.read_text().splitlines()
        routes = [line.split(":")[1].split() for line in lines if line.startswith("Route")]
        cost = float(next(line for line in lines if line.startswith("Cost")).split()[1])
        return [[int(word) for word in route] for route in routes], cost
    if path.suffix == ".json":
        values = json.loads(path.read_text())
    else:
        with np.load(path) as file:
            values = {key: file[key].tolist() for key in file.files}
    routes: list[list[int]] = []
    flags = values.get("via_depot") or [True] + [False] * (len(values["nodes"]) - 1)
    for node, begins in zip(values["nodes"], flags, strict=True):
        routes += [[]] * bool(begins)
        routes[-1] = [*routes[-1], node]
    return routes, values["cost"]


def random_instance(rng: random.Random, least: int = 1, most: int = 40) -> Instance:
    """Draw a valid problem: any metric, often degenerate."""
    size = rng.choice([least, least + 1, least + 2, 5, 6, rng.randint(least, most)])
    metric = rng.choice(["EUC_2D", "EUC_2D", "CEIL_2D", "ATT", "EUCLIDEAN", "GEO", "EXPLICIT"])
    is_cvrp = rng.random() < 0.5
    count = max(size, least) + is_cvrp
    instance = Instance(_coords(rng, count, metric), metric=metric)
    if metric == "EXPLICIT":
        instance = replace(instance, coords=None, matrix=_matrix(rng, count))
    if is_cvrp:
        most_demand = rng.choice([0, 1, 9, 100, 2**40])
        demand = [0] + [rng.randint(0, most_demand) for _ in range(count - 1)]
        least_capacity = max(1, *demand)
        capacity = rng.choice([least_capacity, 2 * least_capacity + 1, max(1, sum(demand))])
        instance = replace(instance, demand=demand, capacity=capacity)
    return instance


def _coords(rng: random.Random, count: int, metric: str) -> list[tuple[float, float]]:
    if metric == "GEO":
        signs = [(rng.choice([-1, 1]), rng.choice([-1, 1])) for _ in range(count)]
        return [
            (a * (rng.randint(0, 89) + rng.randint(0, 59) / 100), b * float(rng.randint(0, 179)))
            for a, b in signs
        ]
    # The longest distances are bounded, so that sums of them are exact.
    size = rng.choice([1.0, 10.0, 1000.0, 1e6, 1e9 if metric != "EUCLIDEAN" else 1e12])
    kind = rng.choice(["random", "equal", "line", "grid", "near", "two"])

    def point(i: int) -> tuple[float, float]:
        if kind == "equal":
            return (size, size)
        if kind == "line":
            return (size * i / count, 0.0)
        if kind == "grid":
            return (float(i % 5), float(i // 5))
        if kind == "near":
            return (size + rng.random() * 1e-9, size)
        if kind == "two":
            return (size * (i % 2), -size * (i % 2))
        return (rng.uniform(-size, size), rng.uniform(-size, size))

    return [point(i) for i in range(count)]


def _matrix(rng: random.Random, count: int) -> list[list[float]]:
    """Draw distances that need not obey the triangle inequality."""
    matrix = [[0.0] * count for _ in range(count)]
    kind = rng.choice(["random", "zero", "equal", "huge", "real"])
    for i in range(count):
        for j in range(i):
            length = {
                "random": float(rng.randint(0, 1000)),
                "zero": 0.0,
                "equal": 7.0,
                "huge": rng.choice([0.0, 1.0, 1e9]),
                "real": rng.random(),
            }[kind]
            matrix[i][j] = matrix[j][i] = length
    return matrix
