"""The problem to solve: nodes, their distances and, for CVRP, their demands."""

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sil import _native
from sil.errors import InputError

# Beyond this, sums of rounded distances no longer fit a 64-bit integer at a million nodes.
_LARGEST_COORDINATE = 1e12


class Metric(StrEnum):
    """How long an edge is; all but the first are defined by TSPLIB95."""

    EUCLIDEAN = "EUCLIDEAN"
    EUC_2D = "EUC_2D"
    CEIL_2D = "CEIL_2D"
    ATT = "ATT"
    GEO = "GEO"
    EXPLICIT = "EXPLICIT"


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Problem:
    """A travelling-salesman or capacitated vehicle-routing problem, validated and immutable.

    A problem with demands is a CVRP whose depot is node 0; one without is a TSP.

    Parameters
    ----------
    coords
        Coordinates, shape (dimension, 2). May be missing where `matrix` is given.
    demand
        Whole-number demand of each node, 0 for the depot; None for TSP.
    capacity
        What one vehicle carries; None for TSP.
    metric
        How distances follow from the coordinates.
    matrix
        Symmetric distances, shape (dimension, dimension), for the metric EXPLICIT only.
    name
        Shown to people and written to files.
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
        except ValueError:
            raise InputError(
                f"unknown metric {metric!r}: choose from {', '.join(Metric)}"
            ) from None
        self._set("name", name)
        self._set("matrix", _validated_matrix(matrix, self.metric))
        self._set("coords", _validated_coords(coords, self.matrix))
        if (demand is None) != (capacity is None):
            raise InputError("demands and a capacity go together, and a TSP has neither")
        self._set("demand", _validated_demand(demand, self.dimension))
        self._set("capacity", _validated_capacity(capacity, self.demand))

    @property
    def kind(self) -> Literal["TSP", "CVRP"]:
        """Which of the two problems this is."""
        return "TSP" if self.demand is None else "CVRP"

    @property
    def dimension(self) -> int:
        """Number of locations, the depot included, as in TSPLIB."""
        located = self.matrix if self.coords is None else self.coords
        return 0 if located is None else len(located)

    @property
    def num_nodes(self) -> int:
        """Number of nodes to visit: the depot does not count."""
        return self.dimension - (self.kind == "CVRP")

    @property
    def fewest_routes(self) -> int:
        """Number of routes that the capacity asks for at least; a tour is one."""
        if self.demand is None or self.capacity is None:
            return 1
        return max(1, -(-int(self.demand.sum()) // self.capacity))

    @property
    def nodes(self) -> NDArray[np.int32]:
        """Numbers of the nodes to visit, ascending."""
        return np.arange(self.dimension - self.num_nodes, self.dimension, dtype=np.int32)

    @cached_property
    def is_integral(self) -> bool:
        """Whether all distances are whole numbers, so that costs are exact."""
        if self.matrix is not None:
            return bool((self.matrix == np.rint(self.matrix)).all())
        return self.metric is not Metric.EUCLIDEAN

    def distance(self, i: ArrayLike, j: ArrayLike) -> NDArray[np.float64]:
        """Distances from nodes `i` to nodes `j`, broadcast; zero where both are the same."""
        a, b = np.asarray(i), np.asarray(j)
        return np.where(a == b, 0.0, self._distance(a, b))

    def sum_of(self, lengths: NDArray[np.float64]) -> int | float:
        """Add up lengths: an int where they are whole numbers, a float otherwise."""
        total = lengths.sum()
        return int(total) if self.is_integral else float(total)

    @cached_property
    def geometry(self) -> _native.Geometry:
        """The same distances for native code."""
        return _native.Geometry(_native.Metric[self.metric.name], self.coords, self.matrix)

    @cached_property
    def layout(self) -> NDArray[np.float64]:
        """Where to draw the nodes, shape (dimension, 2).

        The coordinates where there are any, otherwise a projection of the matrix; also what
        space-filling curves and angles around the depot go by.
        """
        if self.coords is not None:
            return self.coords
        assert self.matrix is not None
        return _project(self.matrix)

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


def _numbers(values: ArrayLike, what: str) -> NDArray[np.float64]:
    try:
        return np.array(values, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise InputError(f"{what} must be numbers") from None


def _validated_matrix(matrix: ArrayLike | None, metric: Metric) -> NDArray[np.float64] | None:
    if (matrix is not None) != (metric is Metric.EXPLICIT):
        raise InputError("a matrix and the metric EXPLICIT go together")
    if matrix is None:
        return None
    values = _numbers(matrix, "distances")
    if values.ndim != 2 or values.shape[0] != values.shape[1] or len(values) == 0:
        raise InputError(f"a distance matrix must be square, not of shape {values.shape}")
    np.fill_diagonal(values, 0.0)
    if not ((values >= 0) & (values <= _LARGEST_COORDINATE)).all():
        raise InputError("distances must be finite and not negative")
    if not np.array_equal(values, values.T):
        i, j = (int(k) for k in np.argwhere(values != values.T)[0])
        raise InputError(
            f"the distance from node {i} to node {j} is {values[i, j]:g} but back it is "
            f"{values[j, i]:g}: only symmetric problems are supported"
        )
    return values


def _validated_coords(
    coords: ArrayLike | None, matrix: NDArray[np.float64] | None
) -> NDArray[np.float64] | None:
    if coords is None:
        if matrix is None:
            raise InputError("a problem needs coordinates, or a matrix with metric EXPLICIT")
        return None
    values = _numbers(coords, "coordinates")
    if values.ndim != 2 or values.shape[1] != 2:
        raise InputError(f"coordinates must have shape (nodes, 2), not {values.shape}")
    if len(values) == 0:
        raise InputError("there are no nodes")
    bad = ~(np.abs(values) <= _LARGEST_COORDINATE).all(axis=1)
    if bad.any():
        node = int(np.argmax(bad))
        raise InputError(
            f"coordinates of node {node} are {values[node].tolist()}: "
            f"they must be finite and at most {_LARGEST_COORDINATE:g} in size"
        )
    if matrix is not None and len(matrix) != len(values):
        raise InputError(f"{len(values)} coordinates do not fit a matrix of {len(matrix)} nodes")
    return values


def _validated_demand(demand: ArrayLike | None, dimension: int) -> NDArray[np.int64] | None:
    if demand is None:
        return None
    values = _numbers(demand, "demands")
    if values.shape != (dimension,):
        raise InputError(
            f"demands must have shape ({dimension},), one a node with the depot first, "
            f"not {values.shape}"
        )
    bad = ~((values >= 0) & (values < 2**53) & (values == np.rint(values)))
    if bad.any():
        node = int(np.argmax(bad))
        raise InputError(
            f"demand of node {node} is {values[node]:g}: demands must be whole numbers from "
            "0 on (scale all demands and the capacity if they have fractions)"
        )
    if values[0] != 0:
        raise InputError(f"demand of the depot, node 0, is {values[0]:g}: it must be 0")
    if len(values) == 1:
        raise InputError("there are no customers")
    return values.astype(np.int64)


def _validated_capacity(capacity: float | None, demand: NDArray[np.int64] | None) -> int | None:
    if capacity is None or demand is None:
        return None
    if not isinstance(capacity, (int, float, np.number)) or not (
        1 <= capacity < 2**53 and capacity % 1 == 0
    ):
        raise InputError(f"capacity is {capacity!r}: it must be a whole number above 0")
    if demand.max() > capacity:
        node = int(demand.argmax())
        raise InputError(
            f"demand of node {node} is {demand[node]}, more than the capacity "
            f"{capacity}: no vehicle can serve it"
        )
    return int(capacity)


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
