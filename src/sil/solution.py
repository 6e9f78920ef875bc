"""A solution in the paper's notation, its cost, and the check that every result must pass."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sil import _native
from sil.errors import InputError, InvalidSolutionError
from sil.limits import exceeds
from sil.problem import Problem
from sil.validate import whole_numbers


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Solution:
    """A node sequence and, for CVRP, which nodes are reached through the depot.

    A solution may be invalid: see `check`.

    Parameters
    ----------
    nodes
        The nodes in the order of their visit, without the depot, shape (n,).
    via_depot
        For CVRP, whether a node is reached through the depot, that is, begins a route, shape (n,).
        The first node must be. None for TSP.
    """

    nodes: NDArray[np.int32]
    via_depot: NDArray[np.bool_] | None
    _counted: tuple[Problem, int | float] | None

    def __init__(self, nodes: ArrayLike, via_depot: ArrayLike | None = None) -> None:
        sequence = _sequence(nodes)
        if sequence.size and (sequence.min() < -(2**31) or sequence.max() >= 2**31):
            raise InvalidSolutionError("a node number is out of range")
        flags = None if via_depot is None else _flags(via_depot)
        if flags is not None and flags.shape != sequence.shape:
            raise InvalidSolutionError(
                f"{flags.size} via-depot flags do not fit {sequence.size} nodes"
            )
        if flags is not None and flags.size and not flags[0]:
            raise InvalidSolutionError("the first node must be reached through the depot")
        object.__setattr__(self, "nodes", _frozen(sequence.astype(np.int32)))
        object.__setattr__(self, "via_depot", None if flags is None else _frozen(flags))
        object.__setattr__(self, "_counted", None)

    @classmethod
    def from_routes(cls, routes: Iterable[ArrayLike]) -> "Solution":
        """Make a CVRP solution from its routes, each without the depot. Drops empty routes."""
        try:
            filled = [route for route in map(_sequence, routes) if route.size]
        except TypeError:
            raise InvalidSolutionError("the routes must be a list of lists of nodes") from None
        if not filled:
            return cls(np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.bool_))
        nodes = np.concatenate(filled)
        via_depot = np.zeros(len(nodes), dtype=np.bool_)
        via_depot[np.cumsum([0] + [len(route) for route in filled[:-1]])] = True
        return cls(nodes, via_depot)

    @classmethod
    def from_native(
        cls, problem: Problem, routes: _native.Routes, cost: float | None = None
    ) -> "Solution":
        """Make a solution from the result of native code, which also computes its cost.

        Give the `cost` if native code has computed it already.
        """
        via_depot = None
        if problem.kind == "CVRP":
            via_depot = np.zeros(len(routes.nodes), dtype=np.bool_)
            via_depot[routes.starts] = True
        found = cls(routes.nodes, via_depot)
        counted = problem.instance.cost(routes) if cost is None else cost
        object.__setattr__(found, "_counted", (problem, problem.as_cost(counted)))
        return found

    def native(self) -> _native.Routes:
        """Return the same routes for native code."""
        return _native.Routes(self.nodes, self.starts)

    @property
    def starts(self) -> NDArray[np.int32]:
        """Indices in `nodes` where routes begin; a tour begins at 0."""
        if self.via_depot is None:
            return np.zeros(min(1, self.nodes.size), dtype=np.int32)
        return np.flatnonzero(self.via_depot).astype(np.int32)

    def routes(self) -> list[NDArray[np.int32]]:
        """Return the routes without the depot; for TSP, the tour as a single route."""
        if self.via_depot is None:
            return [self.nodes]
        return np.split(self.nodes, np.flatnonzero(self.via_depot)[1:]) if self.nodes.size else []

    @property
    def num_routes(self) -> int:
        """Number of routes; 1 for TSP."""
        return 1 if self.via_depot is None else int(self.via_depot.sum())

    def cost(self, problem: Problem) -> int | float:
        """Total length, closed at the depot or at the first node."""
        # Cached: it is needed often, and takes a third of a second for a million nodes.
        if self._counted is None or self._counted[0] is not problem:
            object.__setattr__(self, "_counted", (problem, self._count(problem)))
        assert self._counted is not None
        return self._counted[1]

    def _count(self, problem: Problem) -> int | float:
        if not self._fits(problem):
            raise InvalidSolutionError(summarise(self.check(problem)))
        previous = np.roll(self.nodes, 1)
        direct = problem.distance(previous, self.nodes)
        if self.via_depot is None:
            return problem.sum_of(direct)
        legs = problem.distance(previous, 0) + problem.distance(0, self.nodes)
        return problem.sum_of(np.where(self.via_depot, legs, direct))

    def lengths(self, problem: Problem) -> NDArray[np.float64]:
        """Length of each route, from the depot and back, or of the closed tour."""
        if not self._fits(problem):
            raise InvalidSolutionError(summarise(self.check(problem)))
        if not self.nodes.size:
            return np.zeros(0)
        starts = self.starts
        behind = np.roll(self.nodes, -1)  # (n,)
        ends = np.append(starts[1:], len(behind)) - 1
        behind[ends] = 0 if problem.kind == "CVRP" else self.nodes[starts]
        found: NDArray[np.float64] = np.add.reduceat(problem.distance(self.nodes, behind), starts)
        if problem.kind == "CVRP":
            found += problem.distance(0, self.nodes[starts])
        return found

    def durations(self, problem: Problem) -> NDArray[np.float64]:
        """Duration of each route: its length divided by the speed, plus its service times."""
        found: NDArray[np.float64] = self.lengths(problem) / problem.speed
        if problem.service is not None and self.nodes.size:
            found += np.add.reduceat(problem.service[self.nodes], self.starts)
        return found

    def check(self, problem: Problem) -> list[str]:
        """Describe every violation of the problem's rules. An empty list means valid.

        Shares no code with the algorithms that make solutions, so it cannot repeat their mistakes.
        """
        found = []
        if (self.via_depot is None) != (problem.kind == "TSP"):
            found.append(
                f"this is a solution of a {'TSP' if self.via_depot is None else 'CVRP'}, "
                f"the problem is a {problem.kind}"
            )
        first, last = problem.dimension - problem.num_nodes, problem.dimension - 1
        for node in np.unique(self.nodes[(self.nodes < first) | (self.nodes > last)]):
            found.append(f"node {node} does not exist: nodes run from {first} to {last}")
        inside = self.nodes[(self.nodes >= first) & (self.nodes <= last)]
        visits = np.bincount(inside, minlength=problem.dimension)
        for node in np.flatnonzero(visits > 1):
            found.append(f"node {node} is visited {visits[node]} times")
        for node in np.flatnonzero(visits[first:] == 0) + first:
            found.append(f"node {node} is not visited")
        if problem.demand is not None and problem.capacity is not None:
            # Integers could overflow if a node is visited many times. Floats add whole numbers
            # exactly up to 2^53 and then never fall below it; demands and capacity are below it.
            begins = np.ones(1, dtype=np.bool_) if self.via_depot is None else self.via_depot
            number = np.broadcast_to(np.cumsum(begins), self.nodes.shape)  # of the route, from 1
            known = (self.nodes >= first) & (self.nodes <= last)
            loads = np.bincount(number[known], problem.demand[self.nodes[known]])
            for route in np.flatnonzero(loads > problem.capacity):
                found.append(
                    f"route {route} carries {int(loads[route])}, "
                    f"more than the capacity {problem.capacity}"
                )
        if problem.has_route_limits and self._fits(problem):
            found += self._too_long(problem)
        if problem.excess(self.num_routes):
            found.append(f"there are {self.num_routes} routes for {problem.max_vehicles} vehicles")
        return found

    def _too_long(self, problem: Problem) -> list[str]:
        """Describe the routes that are too long or take too long."""
        lengths, durations = self.lengths(problem), self.durations(problem)
        distance, duration = problem.max_distance, problem.max_duration
        return [
            f"route {route + 1} has the length {lengths[route]:.6f}, more than {distance:g}"
            for route in np.flatnonzero(exceeds(lengths, distance))
        ] + [
            f"route {route + 1} takes {durations[route]:.6f}, more than {duration:g}"
            for route in np.flatnonzero(exceeds(durations, duration))
        ]

    def is_feasible(self, problem: Problem) -> bool:
        """Whether `check` finds nothing."""
        return not self.check(problem)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Solution):
            return NotImplemented
        if (self.via_depot is None) != (other.via_depot is None):
            return False
        return np.array_equal(self.nodes, other.nodes) and (
            self.via_depot is None
            or other.via_depot is None
            or np.array_equal(self.via_depot, other.via_depot)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        if self.via_depot is None:
            return f"<tour of {self.nodes.size} nodes>"
        return f"<{self.num_routes} routes of {self.nodes.size} nodes>"

    def _fits(self, problem: Problem) -> bool:
        """Whether all nodes exist, so that a cost can be computed."""
        return (self.via_depot is None) == (problem.kind == "TSP") and bool(
            self.nodes.size == 0
            or (
                self.nodes.min() >= problem.dimension - problem.num_nodes
                and self.nodes.max() < problem.dimension
            )
        )


def require_valid(solution: Solution, problem: Problem) -> None:
    """Raise `InvalidSolutionError` with the violations, if there are any."""
    violations = solution.check(problem)
    if violations:
        raise InvalidSolutionError(summarise(violations))


def summarise(violations: Sequence[str], at_most: int = 10) -> str:
    """Join violations into one line: the first in full, the rest as a number."""
    shown = "; ".join(violations[:at_most])
    hidden = len(violations) - at_most
    return shown if hidden <= 0 else f"{shown}; and {hidden} more"


def _sequence(nodes: ArrayLike) -> NDArray[Any]:
    try:
        sequence = whole_numbers(nodes, "the nodes of a solution")
    except InputError as error:
        raise InvalidSolutionError(str(error)) from None
    if sequence.ndim != 1:
        raise InvalidSolutionError(
            f"the nodes of a solution must be a list of whole numbers, not of shape "
            f"{sequence.shape}"
        )
    return sequence


def _flags(via_depot: ArrayLike) -> NDArray[np.bool_]:
    try:
        flags = whole_numbers(via_depot, "via-depot flags", "biu")
    except InputError as error:
        raise InvalidSolutionError(str(error)) from None
    if not ((flags == 0) | (flags == 1)).all():
        raise InvalidSolutionError("via-depot flags must be true and false only")
    return flags.astype(np.bool_)


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array
