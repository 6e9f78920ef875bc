"""Builds a problem place by place, where that reads better than arrays."""

from dataclasses import dataclass
from typing import Any

from sil.errors import InputError
from sil.metric import Metric
from sil.problem import Problem


@dataclass(frozen=True)
class _Place:
    coords: tuple[float, float]
    demand: float
    service: float
    name: str


class Model:
    """A problem that is built step by step, in the manner of PyVRP's `Model`.

    Parameters
    ----------
    metric
        How distances are measured. With HAVERSINE, `x` is the latitude and `y` the longitude.
    name
        The name of the problem.
    **arguments
        Other arguments of `Problem`, such as `detour`.

    Examples
    --------
    >>> model = Model(metric="HAVERSINE")
    >>> model.add_depot(45.07, 7.68)
    >>> model.add_client(45.10, 7.70, demand=3, name="bakery")
    >>> model.add_vehicle_type(capacity=10)
    >>> sil.solve(model.data(), sil.MaxRuntime(1))
    """

    def __init__(
        self, metric: Metric | str = Metric.EUCLIDEAN, name: str = "unnamed", **arguments: Any
    ) -> None:
        self._arguments = {"metric": metric, "name": name, **arguments}
        self._depot: _Place | None = None
        self._clients: list[_Place] = []
        self._vehicles: dict[str, Any] = {}

    def add_depot(self, x: float, y: float, name: str = "") -> None:
        """Set the depot, where all routes begin and end. A model without one is a TSP."""
        if self._depot is not None:
            raise InputError("there is a depot already: several depots are not supported")
        self._depot = _Place((x, y), 0, 0, name)

    def add_client(
        self, x: float, y: float, demand: float = 0, service_duration: float = 0, name: str = ""
    ) -> int:
        """Add a customer, and return its number in routes."""
        self._clients.append(_Place((x, y), demand, service_duration, name))
        return len(self._clients)

    def add_vehicle_type(
        self,
        num_available: int | None = None,
        capacity: float | None = None,
        max_distance: float | None = None,
        max_duration: float | None = None,
        speed: float = 1.0,
    ) -> None:
        """Say what the vehicles are like; all are alike. The arguments are those of `Problem`.

        Without a number there are as many as needed, and without a capacity there is room for all.
        """
        if self._vehicles:
            raise InputError("there is a vehicle type already: several types are not supported")
        self._vehicles = {
            "capacity": capacity,
            "max_vehicles": num_available,
            "max_distance": max_distance,
            "max_duration": max_duration,
            "speed": speed,
        }

    def data(self) -> Problem:
        """Return the problem."""
        places = self._clients if self._depot is None else [self._depot, *self._clients]
        if not places:
            raise InputError("a model needs places: call add_client")
        if (self._depot is None) != (not self._vehicles):
            raise InputError("a depot and a vehicle type go together, and a tour has neither")
        arguments = {**self._arguments, **self._vehicles}
        if self._depot is not None:
            arguments["demand"] = demand = [place.demand for place in places]
            if arguments["capacity"] is None:
                arguments["capacity"] = max(1, sum(demand))
        if any(place.service for place in places):
            arguments["service"] = [place.service for place in places]
        if any(place.name for place in places):
            arguments["names"] = [place.name for place in places]
        return Problem([place.coords for place in places], **arguments)
