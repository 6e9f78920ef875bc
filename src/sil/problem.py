"""The problem to solve: nodes, their distances and, for CVRP, their demands."""

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sil import _native
from sil.errors import InputError, excerpt
from sil.validate import (
    EXACT,
    validated_capacity,
    validated_coords,
    validated_demand,
    validated_matrix,
    validated_name,
)


class Metric(StrEnum):
    """How distances are computed. TSPLIB95 defines all of these but EUCLIDEAN."""

    EUCLIDEAN = "EUCLIDEAN"
    EUC_2D = "EUC_2D"
    CEIL_2D = "CEIL_2D"
    ATT = "ATT"
    GEO = "GEO"
    EXPLICIT = "EXPLICIT"

    @property
    def is_planar(self) -> bool:
        """Whether coordinates are points in a plane."""
        return self not in (Metric.GEO, Metric.EXPLICIT)


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Problem:
    """A travelling salesman or capacitated vehicle routing problem, validated and immutable.

    A problem with demands is a CVRP, and its depot is node 0. A problem without is a TSP.

    Parameters
    ----------
    coords
        Coordinates, shape (dimension, 2). Optional if `matrix` is given.
    demand
        Demand of each node, a whole number, 0 for the depot; None for TSP.
    capacity
        Capacity of each vehicle; None for TSP.
    metric
        How distances are computed.
    matrix
        Symmetric distances, shape (dimension, dimension); only for the metric EXPLICIT.
    name
        Shown to people and written to files: at most 200 printable characters.

    Raises
    ------
    InputError
        If an argument is invalid. The sum of all demands must be below 2^53. If distances are whole
        numbers, so must the cost of any solution be. This keeps all such sums exact.
    """

    coords: NDArray[np.float64] | None
    demand: NDArray[np.int64] | None
    capacity: int | None
    metric: Metric
    matrix: NDArray[np.float64] | None
    name: str

    def __init__(
        self,
        coords: ArrayLike | None = None,
        demand: ArrayLike | None = None,
        capacity: float | None = None,
        metric: Metric | str = Metric.EUCLIDEAN,
        matrix: ArrayLike | None = None,
        name: str = "unnamed",
    ) -> None:
        try:
            self._set("metric", Metric(metric))
        except (TypeError, ValueError):
            raise InputError(
                f"unknown metric {excerpt(metric)}: choose from {', '.join(Metric)}"
            ) from None
        self._set("name", validated_name(name))
        if (matrix is not None) != (self.metric is Metric.EXPLICIT):
            raise InputError("a matrix and the metric EXPLICIT go together")
        if coords is None and matrix is None:
            raise InputError("a problem needs coordinates, or a matrix with metric EXPLICIT")
        if (demand is None) != (capacity is None):
            raise InputError("demands and a capacity go together, and a TSP has neither")
        self._set("matrix", None if matrix is None else validated_matrix(matrix))
        self._set("coords", None if coords is None else validated_coords(coords))
        self._require_one_size()
        if self.metric is Metric.GEO and self.coords is not None:
            _require_degrees_and_minutes(self.coords)
        self._require_exact_costs()
        demands = None if demand is None else validated_demand(demand, self.dimension)
        self._set("demand", demands)
        self._set("capacity", None if demands is None else validated_capacity(capacity, demands))

    @property
    def kind(self) -> Literal["TSP", "CVRP"]:
        """The problem type."""
        return "TSP" if self.demand is None else "CVRP"

    @property
    def dimension(self) -> int:
        """Number of locations including the depot, as in TSPLIB."""
        located = self.matrix if self.coords is None else self.coords
        return 0 if located is None else len(located)

    @property
    def num_nodes(self) -> int:
        """Number of nodes to visit, without the depot."""
        return self.dimension - (self.kind == "CVRP")

    @property
    def fewest_routes(self) -> int:
        """Lower bound on the number of routes, from demand and capacity; 1 for TSP."""
        if self.demand is None or self.capacity is None:
            return 1
        return max(1, -(-int(self.demand.sum()) // self.capacity))

    @property
    def nodes(self) -> NDArray[np.int32]:
        """The nodes to visit, ascending."""
        return np.arange(self.dimension - self.num_nodes, self.dimension, dtype=np.int32)

    @cached_property
    def is_integral(self) -> bool:
        """Whether all distances are whole numbers. Costs are then exact."""
        if self.matrix is not None:
            return bool((self.matrix == np.rint(self.matrix)).all())
        return self.metric is not Metric.EUCLIDEAN

    def distance(self, i: ArrayLike, j: ArrayLike) -> NDArray[np.float64]:
        """Distances from nodes `i` to nodes `j`, broadcast; 0 from a node to itself."""
        a, b = np.asarray(i), np.asarray(j)
        try:
            return np.where(a == b, 0.0, self._distance(a, b))
        except IndexError:
            raise InputError(f"nodes must be numbers from 0 to {self.dimension - 1}") from None

    def sum_of(self, lengths: NDArray[np.float64]) -> int | float:
        """Add up lengths: an int if all distances are whole numbers, otherwise a float."""
        return self.as_cost(lengths.sum())

    def as_cost(self, length: float) -> int | float:
        """Return a length as an int if all distances are whole numbers, otherwise as a float."""
        return int(length) if self.is_integral else float(length)

    @cached_property
    def instance(self) -> _native.Instance:
        """The same problem for native code, which caches neighbour lists in it."""
        return _native.Instance(
            _native.Metric[self.metric.name],
            self.coords,
            self.matrix,
            self.layout,
            self.demand,
            self.capacity or 0,
        )

    @cached_property
    def layout(self) -> NDArray[np.float64]:
        """Where the nodes lie on a map, shape (dimension, 2).

        The coordinates if there are any, otherwise a projection of the matrix. Plots, space-filling
        curves and angles around the depot use it.
        """
        if self.coords is not None:
            return self.coords
        assert self.matrix is not None
        return _project(self.matrix)

    def subset(self, nodes: ArrayLike) -> "Problem":
        """Return the problem of some of the nodes, in this order; a CVRP keeps its depot first."""
        chosen = np.asarray(nodes)
        return replace(
            self,
            coords=None if self.coords is None else self.coords[chosen],
            demand=None if self.demand is None else self.demand[chosen],
            matrix=None if self.matrix is None else self.matrix[np.ix_(chosen, chosen)],
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Problem):
            return NotImplemented
        return (
            (self.name, self.metric, self.capacity) == (other.name, other.metric, other.capacity)
            and _same(self.coords, other.coords)
            and _same(self.demand, other.demand)
            and _same(self.matrix, other.matrix)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name!r}: {self.num_nodes} nodes, {self.metric}>"

    def _set(self, field: str, value: Any) -> None:
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
        object.__setattr__(self, field, value)

    def _require_one_size(self) -> None:
        if self.coords is not None and self.matrix is not None:
            points, order = len(self.coords), len(self.matrix)
            if points != order:
                raise InputError(f"{points} coordinates do not fit a matrix of {order} nodes")

    def _require_exact_costs(self) -> None:
        """Refuse whole-number distances if sums of them would no longer be exact.

        No solution has more than two edges per node.
        """
        longest = self._longest_distance()
        if 2 * self.dimension * longest >= EXACT and self.is_integral:
            raise InputError(
                f"{self.dimension:,} nodes at distances of up to {longest:.6g} could cost 2^53, "
                "about 9e15, or more, where whole numbers are no longer exact: scale the "
                "distances down, or use the metric EUCLIDEAN"
            )

    def _longest_distance(self) -> float:
        if self.matrix is not None:
            return float(self.matrix.max())
        assert self.coords is not None
        if self.metric is Metric.GEO:
            return 20_040.0  # halfway around the earth
        width, height = (np.ptp(self.coords[:, axis]) for axis in (0, 1))
        return float(np.hypot(width, height)) + 1.0

    def _distance(self, a: NDArray[Any], b: NDArray[Any]) -> Any:
        if self.matrix is not None:
            return self.matrix[a, b]
        assert self.coords is not None
        if self.metric is Metric.GEO:
            return _geo_distance(geo_radians(self.coords[a]), geo_radians(self.coords[b]))
        delta = self.coords[a] - self.coords[b]
        square: NDArray[np.float64] = delta[..., 0] ** 2 + delta[..., 1] ** 2
        if self.metric is Metric.ATT:
            return np.ceil(np.sqrt(square / 10.0))
        length: NDArray[np.float64] = np.sqrt(square)
        if self.metric is Metric.EUC_2D:
            return np.floor(length + 0.5)
        if self.metric is Metric.CEIL_2D:
            return np.ceil(length)
        return length


def geo_radians(coords: NDArray[np.float64]) -> NDArray[np.float64]:
    """Latitude and longitude in radians from TSPLIB's DDD.MM, with TSPLIB's value of pi."""
    degrees = np.trunc(coords)
    return 3.141592 * (degrees + 5.0 * (coords - degrees) / 3.0) / 180.0


def _geo_distance(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    q1 = np.cos(a[..., 1] - b[..., 1])
    q2 = np.cos(a[..., 0] - b[..., 0])
    q3 = np.cos(a[..., 0] + b[..., 0])
    cosine = 0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3)
    return np.floor(6378.388 * np.arccos(np.clip(cosine, -1.0, 1.0)) + 1.0)


def _require_degrees_and_minutes(coords: NDArray[np.float64]) -> None:
    """Refuse coordinates that cannot be TSPLIB's DDD.MM, such as decimal degrees.

    A few minutes of 60 or more may be slips: published files have some (ali535: 3 in 1,070).
    Decimal degrees would have them in four of ten coordinates.
    """
    beyond = (np.abs(coords) > (90, 180)).any(axis=1)
    if beyond.any():
        node = int(np.argmax(beyond))
        raise InputError(
            f"coordinates of node {node} are {coords[node].tolist()}: for GEO they are latitude "
            "and longitude, in this order, up to 90 and 180"
        )
    # 0.6, minus the rounding error of a difference of floats.
    minutes = np.abs(coords - np.trunc(coords)) > 0.6 - 1e-9
    if minutes.mean() > 0.01:
        node = int(np.argmax(minutes.any(axis=1)))
        raise InputError(
            f"coordinates of node {node} are {coords[node].tolist()}: GEO means degrees.minutes, "
            "as TSPLIB defines it, and minutes are below 60. If these are decimal degrees, write "
            "48.5 as 48.30, or project them onto a plane and use EUC_2D: there is no metric for "
            "decimal degrees"
        )


def _project(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Project distances onto two axes, each through two nodes that lie far apart (FastMap)."""
    square = matrix**2
    axes = []
    for _ in range(2):
        a = int(np.argmax(square[0]))
        b = int(np.argmax(square[a]))
        span = square[a, b]
        axis = np.zeros(len(matrix))
        if span > 0:
            axis = (square[a] + span - square[b]) / (2 * np.sqrt(span))
            square = np.maximum(square - (axis[:, None] - axis[None, :]) ** 2, 0.0)
        axes.append(axis)
    return np.stack(axes, axis=1)


def _same(a: NDArray[Any] | None, b: NDArray[Any] | None) -> bool:
    if a is None or b is None:
        return a is b
    return np.array_equal(a, b)
