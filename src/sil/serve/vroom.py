"""VROOM's requests and answers (https://github.com/VROOM-Project/vroom, docs/API.md).

Vehicles must be alike: one depot where all begin and end, one capacity. Whatever else VROOM can and
this program cannot is refused by name.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from sil.io.atomic import replacing
from sil.metric import Metric
from sil.problem import Problem
from sil.serve.options import FieldError, validated
from sil.solution import Solution, require_valid

# Without a matrix there are no roads: distances are as the crow flies, at this speed.
_METRES_PER_SECOND = 50 / 3.6
_MOST_ID = 2**64

Amount = list[int]
Location = tuple[float, float]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class VroomJob(_Model):
    """A place to visit."""

    id: int = Field(ge=0, lt=_MOST_ID)
    description: str | None = Field(None, max_length=200)
    location: Location | None = None
    location_index: int | None = Field(None, ge=0)
    delivery: Amount | None = None
    pickup: Amount | None = None
    amount: Amount | None = None


class Vehicle(_Model):
    """A vehicle."""

    id: int = Field(ge=0, lt=_MOST_ID)
    description: str | None = Field(None, max_length=200)
    profile: str = Field("car", max_length=100)
    start: Location | None = None
    end: Location | None = None
    start_index: int | None = Field(None, ge=0)
    end_index: int | None = Field(None, ge=0)
    capacity: Amount | None = None


class Matrices(_Model):
    """Travel times between all places."""

    durations: list[list[int]]


class Flags(_Model):
    """Options, as of openrouteservice; geometry is not provided."""

    g: bool = False


class VroomRequest(_Model):
    """A request in VROOM's format."""

    vehicles: list[Vehicle] = Field(min_length=1)
    jobs: list[VroomJob] = Field(min_length=1)
    matrices: dict[str, Matrices] | None = None
    options: Flags | None = None


@dataclass(frozen=True)
class Answerable:
    """What an answer needs beside the solution, kept with the job.

    Parameters
    ----------
    vehicles
        Ids of the vehicles.
    jobs
        Ids of the jobs, in the order of the nodes.
    amounts
        Which amount the jobs have: delivery or pickup.
    has_matrix
        Whether costs are travel times; otherwise they are metres.
    places
        Longitude and latitude of the depot and of each job; or none.
    indices
        Rows of the depot and of each job in the matrix; or none.
    """

    vehicles: list[int]
    jobs: list[int]
    amounts: str
    has_matrix: bool
    places: list[list[float]]
    indices: list[int]

    def save(self, path: Path) -> None:
        """Write it to a file."""
        with replacing(path) as temporary:
            temporary.write_text(json.dumps(vars(self)), encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> "Answerable":
        """Read what `save` has written."""
        return cls(**json.loads(path.read_text(encoding="utf-8")))


def is_vroom(values: Any) -> bool:
    """Whether a JSON object is a request in VROOM's format."""
    return isinstance(values, dict) and bool({"vehicles", "jobs", "shipments"} & values.keys())


def read_request(values: Any) -> tuple[Problem, Answerable]:
    """Turn a request into a problem and what the answer needs."""
    request: VroomRequest = validated(VroomRequest, values)
    first = request.vehicles[0]
    _require_alike(request.vehicles)
    _require_different([job.id for job in request.jobs], "jobs")
    _require_different([vehicle.id for vehicle in request.vehicles], "vehicles")
    amounts, kind = _amounts(request.jobs)
    demand = capacity = None
    if amounts is not None:
        if first.capacity is None:
            raise FieldError("vehicles[0].capacity", "is missing, but jobs have amounts")
        demand, capacity = [0, *amounts], first.capacity[0]
    indices: list[int] = []
    if request.matrices is not None:
        problem, indices = _with_matrix(request, demand, capacity)
    else:
        coords = _degrees(request)[:, ::-1]  # latitudes first
        problem = Problem(coords, demand, capacity, Metric.HAVERSINE, name="VROOM request")
    places = [] if problem.lon_lat is None else problem.lon_lat.tolist()
    answerable = Answerable(
        [vehicle.id for vehicle in request.vehicles],
        [job.id for job in request.jobs],
        kind,
        request.matrices is not None,
        places,
        indices,
    )
    return problem, answerable


def answer(
    problem: Problem, solution: Solution, given: Answerable, milliseconds: int
) -> dict[str, Any]:
    """Write a solution as VROOM does. What the vehicles cannot take is unassigned."""
    routes, left = _fitted(problem, solution, len(given.vehicles))
    _check(problem, routes)
    written = [
        _route(problem, given, vehicle, route)
        for vehicle, route in zip(given.vehicles, routes, strict=False)
    ]
    totals = {
        name: sum(each[name] for each in written)
        for name in ("cost", "duration", "distance", "setup", "service", "waiting_time", "priority")
        if all(name in each for each in written)
    }
    summary = {
        "routes": len(written),
        "unassigned": len(left),
        **totals,
        "violations": [],
        "computing_times": {"loading": 0, "solving": milliseconds, "routing": 0},
    }
    for name in ("delivery", "pickup"):
        summary[name] = [sum(each[name][0] for each in written)] if problem.capacity else []
    unassigned = [{"id": given.jobs[node - 1], "type": "job"} for node in left]
    if given.places:
        for each, node in zip(unassigned, left, strict=True):
            each["location"] = given.places[node]
    return {"code": 0, "summary": summary, "unassigned": unassigned, "routes": written}


def _require_alike(vehicles: list[Vehicle]) -> None:
    first = vehicles[0]
    for number, vehicle in enumerate(vehicles):
        where = f"vehicles[{number}]"
        if (vehicle.start, vehicle.start_index) != (vehicle.end, vehicle.end_index):
            raise FieldError(
                f"{where}.end", "differs from the start: only closed routes are supported"
            )
        if vehicle.start is None and vehicle.start_index is None:
            raise FieldError(f"{where}.start", "is missing: all routes begin at a depot")
        if vehicle.capacity is not None and len(vehicle.capacity) != 1:
            raise FieldError(f"{where}.capacity", "must be one number: several are not supported")
        for name in ("start", "start_index", "capacity", "profile"):
            if getattr(vehicle, name) != getattr(first, name):
                raise FieldError(
                    f"{where}.{name}", "differs from the first vehicle's: all must be alike"
                )


def _require_different(ids: list[int], what: str) -> None:
    if len(set(ids)) != len(ids):
        raise FieldError(what, "two have the same id")


def _amounts(jobs: list[VroomJob]) -> tuple[list[int] | None, str]:
    """Return the amount of each job and whether these are deliveries or pickups."""
    given = {
        name for name in ("delivery", "pickup", "amount") for job in jobs if getattr(job, name)
    }
    if not given:
        return None, "delivery"
    if len(given) > 1:
        raise FieldError(
            f"jobs.{max(given)}", f"together with {min(given)} is not supported: use one of them"
        )
    (name,) = given
    amounts = []
    for number, job in enumerate(jobs):
        amount = getattr(job, name) or [0]
        if len(amount) != 1 or not 0 <= amount[0] < 2**53:
            raise FieldError(
                f"jobs[{number}].{name}", "must be one number, at least 0: others are not supported"
            )
        amounts.append(amount[0])
    return amounts, "pickup" if name == "pickup" else "delivery"


def _degrees(request: VroomRequest) -> NDArray[np.float64]:
    places = [("vehicles[0].start", request.vehicles[0].start)]
    places += [
        (f"jobs[{number}].location", job.location) for number, job in enumerate(request.jobs)
    ]
    found = []
    for name, place in places:
        if place is None:
            raise FieldError(name, "is missing: give [longitude, latitude], or send matrices")
        if abs(place[0]) > 180 or abs(place[1]) > 90:
            raise FieldError(name, f"is {list(place)}: it must be [longitude, latitude] in degrees")
        found.append(place)
    return np.array(found)


def _with_matrix(
    request: VroomRequest, demand: list[int] | None, capacity: int | None
) -> tuple[Problem, list[int]]:
    profile = request.vehicles[0].profile
    matrices = request.matrices or {}
    if profile not in matrices:
        raise FieldError("matrices", f"has nothing for the profile {profile!r} of the vehicles")
    rows = matrices[profile].durations
    if any(len(row) != len(rows) for row in rows):
        raise FieldError(f"matrices.{profile}.durations", "must be square")
    named = [("vehicles[0].start_index", request.vehicles[0].start_index)]
    named += [
        (f"jobs[{n}].location_index", job.location_index) for n, job in enumerate(request.jobs)
    ]
    indices = []
    for name, index in named:
        if index is None or index >= len(rows):
            raise FieldError(
                name, f"must be the number of a row of the matrix, 0 to {len(rows) - 1}"
            )
        indices.append(index)
    matrix = np.array(rows, dtype=np.float64)[np.ix_(indices, indices)]
    problem = Problem(
        demand=demand,
        capacity=capacity,
        metric=Metric.EXPLICIT,
        matrix=matrix,
        name="VROOM request",
    )
    return problem, indices


def _fitted(
    problem: Problem, solution: Solution, vehicles: int
) -> tuple[list[list[int]], list[int]]:
    """Fit the routes to so many vehicles; also gives the nodes that none can take.

    The emptiest routes are given up, and their nodes go where they cost least and fit.
    """
    if problem.demand is None or problem.capacity is None:
        tour = solution.nodes.tolist()
        depot = tour.index(0)
        return [tour[depot + 1 :] + tour[:depot]], []
    routes = [route.tolist() for route in solution.routes()]
    load = {id(route): int(problem.demand[route].sum()) for route in routes}
    routes.sort(key=lambda route: -load[id(route)])
    kept, rest = routes[:vehicles], [node for route in routes[vehicles:] for node in route]
    loads = [load[id(route)] for route in kept]
    left = []
    for node in sorted(rest, key=lambda node: -int(problem.demand[node])):  # type: ignore[index]
        amount = int(problem.demand[node])
        best = (np.inf, -1, 0)
        for number, route in enumerate(kept):
            if loads[number] + amount > problem.capacity:
                continue
            ends = np.array([0, *route, 0])
            before, after = ends[:-1], ends[1:]
            added = (
                problem.distance(before, node)
                + problem.distance(node, after)
                - problem.distance(before, after)
            )
            place = int(added.argmin())
            best = min(best, (float(added[place]), number, place))
        if best[1] < 0:
            left.append(node)
            continue
        kept[best[1]].insert(best[2], node)
        loads[best[1]] += amount
    return kept, sorted(left)


def _check(problem: Problem, routes: list[list[int]]) -> None:
    """Check what is answered, as a solution of the problem of the assigned nodes."""
    nodes = np.array([node for route in routes for node in route], dtype=np.int64)
    if not len(nodes):
        return
    chosen = np.concatenate([[0], np.sort(nodes)])
    number = np.searchsorted(chosen, nodes)
    part = problem.subset(chosen)
    if problem.kind == "TSP":
        require_valid(Solution(np.concatenate([[0], number])), part)
        return
    starts = np.cumsum([0] + [len(route) for route in routes[:-1]])
    flags = np.zeros(len(nodes), dtype=np.bool_)
    flags[starts] = True
    require_valid(Solution(number, flags), part)


def _route(problem: Problem, given: Answerable, vehicle: int, route: list[int]) -> dict[str, Any]:
    stops = np.array([0, *route, 0])
    lengths = problem.distance(stops[:-1], stops[1:])
    travelled = np.concatenate([[0.0], np.cumsum(lengths)])
    times = travelled if given.has_matrix else travelled / _METRES_PER_SECOND
    amounts = np.zeros(len(route), dtype=np.int64)
    if problem.demand is not None:
        amounts = problem.demand[np.array(route, dtype=np.int64)]
    total = int(amounts.sum())
    carried = np.cumsum(amounts)
    loads = np.concatenate([[0], carried])
    if given.amounts == "delivery":
        loads = total - loads
    steps = []
    for number, node in enumerate(stops.tolist()):
        kind = "start" if number == 0 else "end" if number == len(route) + 1 else "job"
        step: dict[str, Any] = {"type": kind}
        if given.places:
            step["location"] = given.places[node]
        if given.indices:
            step["location_index"] = given.indices[node]
        if kind == "job":
            step["id"] = step["job"] = given.jobs[node - 1]
        step |= {"setup": 0, "service": 0, "waiting_time": 0, "violations": []}
        step["arrival"] = step["duration"] = round(float(times[number]))
        if not given.has_matrix:
            step["distance"] = round(float(travelled[number]))
        step["load"] = [int(loads[min(number, len(route))])] if problem.capacity else []
        steps.append(step)
    seconds = round(float(times[-1]))
    written: dict[str, Any] = {
        "vehicle": vehicle,
        "cost": seconds,
        "setup": 0,
        "service": 0,
        "duration": seconds,
        "waiting_time": 0,
        "priority": 0,
        "delivery": [],
        "pickup": [],
        "steps": steps,
        "violations": [],
    }
    if not given.has_matrix:
        written["distance"] = round(float(travelled[-1]))
    if problem.capacity:
        written |= {"delivery": [0], "pickup": [0], given.amounts: [total]}
    return written
