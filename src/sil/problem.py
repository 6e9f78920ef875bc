"""The problem to solve: nodes, their distances and, for CVRP, their demands."""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sil import _native
from sil.errors import InputError, excerpt
from sil.limits import (
    TOLERANCE,
    require_enough_vehicles,
    require_reachable,
    validated_limit,
    validated_service,
    validated_vehicles,
)
from sil.metric import Metric, distance, geo_radians, longest_distance, require_on_earth
from sil.sphere import projected
from sil.validate import (
    EXACT,
    real_number,
    validated_capacity,
    validated_coords,
    validated_demand,
    validated_matrix,
    validated_name,
    validated_names,
)


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Problem:
    """A travelling salesman or capacitated vehicle routing problem, validated and immutable.

    A problem with demands is a CVRP, and its depot is node 0. A problem without is a TSP.

    Parameters
    ----------
    coords
        Coordinates, shape (dimension, 2): x and y, or for GEO and HAVERSINE latitude and longitude.
        Optional if `matrix` is given.
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
    detour
        Multiplies the distances of the metric HAVERSINE: roads are longer than great circles, often
        by a factor of 1.2 to 1.4. For real road distances, give a `matrix`.
    names
        What people call the nodes, such as customer numbers, shape (dimension,). They are shown and
        written to plans, need not be unique, and may have 200 printable characters each.
    service
        Time that a vehicle spends at each node, 0 for the depot, shape (dimension,).
    speed
        Length that a vehicle covers in a unit of time. With HAVERSINE, which measures metres, times
        are seconds and this is in metres per second: 50 km/h are 50 / 3.6.
    max_distance
        Greatest length of a route.
    max_duration
        Greatest duration of a route: its length divided by the speed, plus its service times.
    max_vehicles
        Greatest number of routes.

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
    detour: float
    names: NDArray[np.str_] | None
    service: NDArray[np.float64] | None
    speed: float
    max_distance: float | None
    max_duration: float | None
    max_vehicles: int | None

    def __init__(
        self,
        coords: ArrayLike | None = None,
        demand: ArrayLike | None = None,
        capacity: float | None = None,
        metric: Metric | str = Metric.EUCLIDEAN,
        matrix: ArrayLike | None = None,
        name: str = "unnamed",
        detour: float = 1.0,
        names: ArrayLike | None = None,
        service: ArrayLike | None = None,
        speed: float = 1.0,
        max_distance: float | None = None,
        max_duration: float | None = None,
        max_vehicles: int | None = None,
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
        self._set("names", None if names is None else validated_names(names, self.dimension))
        if self.coords is not None:
            require_on_earth(self.metric, self.coords)
        self._set("detour", _validated_detour(detour, self.metric))
        self._require_exact_costs()
        demands = None if demand is None else validated_demand(demand, self.dimension)
        self._set("demand", demands)
        self._set("capacity", None if demands is None else validated_capacity(capacity, demands))
        self._set("service", validated_service(service, self.dimension))
        self._set("speed", validated_limit(speed, "the speed"))
        self._set("max_distance", validated_limit(max_distance, "the greatest distance"))
        self._set("max_duration", validated_limit(max_duration, "the greatest duration"))
        self._set("max_vehicles", validated_vehicles(max_vehicles))
        self._require_possible_routes()

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
        """Lower bound on the number of routes, from demands and service times; 1 for TSP."""
        if self.demand is None or self.capacity is None:
            return 1
        fewest = -(-int(self.demand.sum()) // self.capacity)
        if self.service is not None and self.max_duration is not None:
            shifts = float(self.service.sum()) / self.max_duration
            fewest = max(fewest, math.ceil(shifts * (1 - TOLERANCE)))
        return max(1, fewest)

    @property
    def has_route_limits(self) -> bool:
        """Whether the length or the duration of routes is limited."""
        return self.max_distance is not None or self.max_duration is not None

    def excess(self, routes: int) -> int:
        """By how many this number of routes is above the number of vehicles."""
        return 0 if self.max_vehicles is None else max(0, routes - self.max_vehicles)

    @property
    def nodes(self) -> NDArray[np.int32]:
        """The nodes to visit, ascending."""
        return np.arange(self.dimension - self.num_nodes, self.dimension, dtype=np.int32)

    @cached_property
    def is_integral(self) -> bool:
        """Whether all distances are whole numbers. Costs are then exact."""
        if self.matrix is not None:
            return bool((self.matrix == np.rint(self.matrix)).all())
        return self.metric not in (Metric.EUCLIDEAN, Metric.HAVERSINE)

    @property
    def is_on_earth(self) -> bool:
        """Whether coordinates are latitudes and longitudes."""
        return self.metric in (Metric.GEO, Metric.HAVERSINE)

    @property
    def lon_lat(self) -> NDArray[np.float64] | None:
        """Longitudes and latitudes in degrees, shape (dimension, 2); None if not on the earth."""
        if self.coords is None or not self.is_on_earth:
            return None
        if self.metric is Metric.HAVERSINE:
            return self.coords[:, ::-1]
        degrees: NDArray[np.float64] = np.degrees(geo_radians(self.coords))[:, ::-1]
        return degrees

    def name_of(self, node: int) -> str:
        """Return the name of a node: its number if it has no other."""
        return str(node) if self.names is None else str(self.names[node])

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
        bounded = self.service is not None and self.has_route_limits
        # Native code adds lengths in another order than the check.
        reach = 1 + TOLERANCE / 10
        return _native.Instance(
            _native.Metric[self.metric.name],
            self.coords,
            self.matrix,
            self.layout,
            self.demand,
            self.capacity or 0,
            self.detour,
            self.travelled(self.service) if bounded and self.service is not None else None,
            math.inf if self.max_distance is None else self.max_distance * reach,
            math.inf if self.max_duration is None else self.max_duration * self.speed * reach,
            self.max_vehicles,
        )

    def travelled(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return times as the lengths that a vehicle covers meanwhile, as native code has them."""
        return times * self.speed

    @cached_property
    def layout(self) -> NDArray[np.float64]:
        """Where the nodes lie on a map, shape (dimension, 2).

        The coordinates if there are any, otherwise a projection of the matrix. For HAVERSINE, they
        are projected to metres, east and north. Plots, space-filling curves and angles around the
        depot use it.
        """
        if self.metric is Metric.HAVERSINE and self.coords is not None:
            return projected(self.coords)
        if self.coords is not None:
            return self.coords
        assert self.matrix is not None
        return _project(self.matrix)

    def replace(self, **changes: Any) -> "Problem":
        """Return the same problem with other arguments, which are those of the constructor."""
        return replace(self, **changes)

    def with_metric(self, metric: Metric | str) -> "Problem":
        """Return the same nodes with distances that are measured in another way.

        Latitudes and longitudes of HAVERSINE become points in a plane, in metres, if the metric is
        planar; degrees and minutes of GEO become the decimal degrees of HAVERSINE.
        """
        old, new = self.metric, Metric(metric)
        if old is new:
            return self
        if self.coords is None or Metric.EXPLICIT in (old, new):
            raise InputError("the metric EXPLICIT belongs to a matrix and cannot be changed")
        coords = self.coords
        if (old, new) == (Metric.GEO, Metric.HAVERSINE):
            coords = np.degrees(geo_radians(coords))
        elif Metric.GEO in (old, new):
            raise InputError(
                "the metric GEO has coordinates in degrees and minutes: it can be changed to "
                "HAVERSINE only, and not be chosen for other coordinates"
            )
        elif old is Metric.HAVERSINE:
            coords = self.detour * self.layout
        return self.replace(coords=coords, metric=new, detour=1.0)

    def subset(self, nodes: ArrayLike) -> "Problem":
        """Return the problem of some of the nodes, in this order; a CVRP keeps its depot first."""
        chosen = np.asarray(nodes)
        return replace(
            self,
            coords=None if self.coords is None else self.coords[chosen],
            demand=None if self.demand is None else self.demand[chosen],
            matrix=None if self.matrix is None else self.matrix[np.ix_(chosen, chosen)],
            names=None if self.names is None else self.names[chosen],
            service=None if self.service is None else self.service[chosen],
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Problem):
            return NotImplemented
        return (
            self._values() == other._values()
            and _same(self.coords, other.coords)
            and _same(self.demand, other.demand)
            and _same(self.matrix, other.matrix)
            and _same(self.names, other.names)
            and _same(self.service, other.service)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name!r}: {self.num_nodes} nodes, {self.metric}>"

    def _values(self) -> tuple[object, ...]:
        """Return all that are not arrays."""
        limits = self.max_distance, self.max_duration, self.max_vehicles
        return self.name, self.metric, self.capacity, self.detour, self.speed, *limits

    def _set(self, field: str, value: Any) -> None:
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
        object.__setattr__(self, field, value)

    def _require_one_size(self) -> None:
        if self.coords is not None and self.matrix is not None:
            points, order = len(self.coords), len(self.matrix)
            if points != order:
                raise InputError(f"{points} coordinates do not fit a matrix of {order} nodes")

    def _require_possible_routes(self) -> None:
        given = (self.service, self.max_distance, self.max_duration, self.max_vehicles)
        if self.kind == "TSP":
            if any(value is not None for value in given):
                raise InputError("service times and limits of routes need demands and a capacity")
            return
        if self.has_route_limits:
            lengths = 2 * self.distance(0, np.arange(self.dimension))
            durations = lengths / self.speed
            if self.service is not None:
                durations = durations + self.service
            require_reachable(lengths, durations, self.max_distance, self.max_duration, self.names)
        require_enough_vehicles(self.fewest_routes, self.max_vehicles)

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
        return longest_distance(self.metric, self.coords, self.detour)

    def _distance(self, a: NDArray[Any], b: NDArray[Any]) -> Any:
        if self.matrix is not None:
            return self.matrix[a, b]
        assert self.coords is not None
        return distance(self.metric, self.coords[a], self.coords[b], self.detour)


def _validated_detour(detour: Any, metric: Metric) -> float:
    factor = real_number(detour, "the detour")
    if not 0.1 <= factor <= 100:
        raise InputError(f"the detour is {factor:g}: it must be from 0.1 to 100, for example 1.3")
    if factor != 1 and metric is not Metric.HAVERSINE:
        raise InputError(f"a detour is for the metric HAVERSINE, not for {metric}")
    return factor


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
