"""Cut partial solutions out of a solution, and put improved ones back.

One round of the paper's parallel local reconstruction (section Local Reconstruction) cuts
non-overlapping partial solutions of equal length at a random place and in a random direction.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sil import _native
from sil.errors import InvalidSolutionError
from sil.partial import PartialSolutions
from sil.problem import Problem
from sil.reconstruct.regions import turned
from sil.solution import Solution

_TO_DEPOT = 0.5  # share of the rounds in which the parts of a CVRP end at the depot
_ALONG_CURVE = 0.5  # share of the rounds that order routes along a curve, not by angle
SHORTEST = 4  # the paper's minimum length of a partial solution


@dataclass(frozen=True)
class Cut:
    """A solution laid out as a ring, and partial solutions cut from it.

    The parts follow each other along the ring, from the indices `begins`. If they end at the depot,
    it is their last node, but it is not in the ring. The routes of a CVRP run counterclockwise if
    `sense` is 1, clockwise if it is -1.
    """

    nodes: NDArray[np.int32]
    via_depot: NDArray[np.bool_] | None
    parts: PartialSolutions
    begins: NDArray[np.int64]
    sense: int = 0

    @property
    def places(self) -> NDArray[np.int64]:
        """Indices of the parts' nodes in the ring, without the depot, shape (m, w)."""
        ends_at_depot = self.via_depot is not None and not self.parts.nodes[:, -1].any()
        length = self.parts.nodes.shape[1] - ends_at_depot
        places: NDArray[np.int64] = self.begins[:, None] + np.arange(length)
        return places

    def put_back(
        self, parts: PartialSolutions
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_] | None]:
        """Return the nodes and flags of the ring with these parts in it."""
        places = self.places
        nodes = self.nodes.copy()
        nodes[places] = parts.nodes[:, : places.shape[1]]
        if self.via_depot is None or parts.via_depot is None:
            return nodes, None
        flags = self.via_depot.copy()
        # The flag of a part's first node belongs to the outside.
        flags[places[:, 1:]] = parts.via_depot[:, 1 : places.shape[1]]
        return nodes, flags

    def merge(self, problem: Problem, rebuilt: PartialSolutions) -> tuple[Solution, float]:
        """Put back the rebuilt parts where they are shorter and valid, and keep the rest.

        Independent differences within a part are accepted or rejected one by one; the paper accepts
        or rejects whole parts. See ``_native/segments/recombine.h``.

        Returns
        -------
        The new solution, and by how much it is shorter.

        Raises
        ------
        InvalidSolutionError
            If the rebuilt parts have other nodes or other ends.
        """
        _require_same_runs(self.parts, rebuilt)
        fit, flags = rebuilt.fit(problem)[:, None], None
        if self.parts.via_depot is not None and rebuilt.via_depot is not None:
            flags = np.where(fit, rebuilt.via_depot, self.parts.via_depot)
        taken = rebuilt.rebuilt(np.where(fit, rebuilt.nodes, self.parts.nodes), flags)
        run = np.zeros(len(self.nodes), dtype=np.int32)
        run[self.places] = np.arange(len(self.parts))[:, None]
        rings = (_ring(self.nodes, self.via_depot), _ring(*self.put_back(taken)))
        routes, gain = _native.recombine(problem.instance, run, *rings)
        return Solution.from_native(problem, routes), gain


def _ring(nodes: NDArray[np.int32], via_depot: NDArray[np.bool_] | None) -> _native.Routes:
    """Return a ring for native code. Its first node may lie inside a route."""
    starts = np.zeros(1) if via_depot is None else np.flatnonzero(via_depot)
    return _native.Routes(nodes, starts.astype(np.int32))


def draw_length(num_nodes: int, longest: int, rng: np.random.Generator) -> int:
    """Draw the length of a round's partial solutions, uniformly from 4 to `longest`."""
    return int(rng.integers(min(SHORTEST, num_nodes), min(longest, num_nodes) + 1))


def cut(problem: Problem, solution: Solution, length: int, rng: np.random.Generator) -> Cut:
    """Cut as many partial solutions of `length` nodes as fit, at a random place and direction.

    The routes of a CVRP are first ordered so that neighbours in the sequence are neighbours on the
    map, and turned so that all run clockwise or all counterclockwise.
    """
    if problem.demand is None or solution.via_depot is None:
        ring = solution.nodes[::-1] if rng.random() < 0.5 else solution.nodes
        ring = np.roll(ring, -int(rng.integers(len(ring))))
        begins = _side_by_side(len(ring), length)
        return Cut(ring, None, PartialSolutions(_windows(ring, begins, length)), begins)

    sense = 1 if rng.random() < 0.5 else -1
    nodes, via_depot = _lay_out(problem, solution, sense, rng)
    before, after = _charged_loads(problem, nodes, via_depot, rng)
    there, back = _travelled(problem, nodes, via_depot)
    shift = -int(rng.integers(len(nodes)))
    nodes, via_depot = np.roll(nodes, shift), np.roll(via_depot, shift)
    before, after = np.roll(before, shift), np.roll(after, shift)
    begins = _side_by_side(len(nodes), length)
    ends = begins + length - 1
    parts = PartialSolutions(
        _windows(nodes, begins, length),
        _windows(via_depot, begins, length),
        before[begins],
        after[ends],
        None if there is None else np.roll(there, shift, axis=0)[begins],
        None if back is None else np.roll(back, shift, axis=0)[ends],
    )
    return Cut(nodes, via_depot, parts, begins, sense)


def draw_cut(problem: Problem, solution: Solution, length: int, rng: np.random.Generator) -> Cut:
    """Cut partial solutions for the policy, in training and in use.

    For CVRP they end at the depot half of the time, and always if there is only one.
    """
    to_depot = problem.kind == "CVRP" and (rng.random() < _TO_DEPOT or length == problem.num_nodes)
    return (cut_to_depot if to_depot else cut)(problem, solution, length, rng)


def cut_to_depot(
    problem: Problem, solution: Solution, length: int, rng: np.random.Generator
) -> Cut:
    """Cut partial solutions of a CVRP that begin at any node and end at the depot.

    They have `length` nodes plus the depot. Their last route need not lead to a given node, so the
    policy rebuilds them much better than those of `cut`. Some nodes between them are left out.
    """
    sense = 1 if rng.random() < 0.5 else -1
    nodes, via_depot = _lay_out(problem, solution, sense, rng)
    shift = -int(rng.choice(np.flatnonzero(via_depot)))
    nodes, via_depot = np.roll(nodes, shift), np.roll(via_depot, shift)
    starts = np.flatnonzero(via_depot)
    before = _loads_before(problem, nodes, starts)
    there, _ = _travelled(problem, nodes, via_depot)
    chosen, free = [], 0
    for end in np.append(starts[1:], len(nodes)).tolist():
        if end - length >= free:
            chosen.append(end - length)
            free = end
    begins = np.array(chosen)
    with_depot = ((0, 0), (0, 1))  # one more column, of node 0
    parts = PartialSolutions(
        np.pad(_windows(nodes, begins, length), with_depot),
        np.pad(_windows(via_depot, begins, length), with_depot),
        before[begins],
        np.zeros(len(begins), dtype=np.int64),
        None if there is None else there[begins],
    )
    return Cut(nodes, via_depot, parts, begins, sense)


def _side_by_side(count: int, length: int) -> NDArray[np.int64]:
    """Return where parts begin: as many as fit into a ring, from its first node on."""
    return np.arange(count // length) * length


def _windows(ring: NDArray, begins: NDArray[np.int64], length: int) -> NDArray:  # type: ignore[type-arg]
    """Take `length` entries of the ring from each begin, shape (m, length)."""
    windows: NDArray = ring[begins[:, None] + np.arange(length)]  # type: ignore[type-arg]
    return windows


def _lay_out(
    problem: Problem, solution: Solution, sense: int, rng: np.random.Generator
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Order the routes and turn them all in the same sense. The solution stays the same.

    With one sense, the policy need not guess which way round a route goes. Half of the time the
    order is the paper's, by the angle around the depot: the next route leaves on the side where the
    previous one returns. But two routes at the same angle, one behind the other, are then often far
    apart in the sequence and never rebuilt together. So the other half of the time the order is
    along a space-filling curve, turned by a random angle.
    """
    assert solution.via_depot is not None
    starts = np.flatnonzero(solution.via_depot)
    sizes = np.diff(starts, append=len(solution.nodes))
    from_depot = problem.layout[solution.nodes] - problem.layout[0]  # (n, 2)
    centres = np.add.reduceat(from_depot, starts) / sizes[:, None]  # (routes, 2)
    if rng.random() < _ALONG_CURVE:
        order = np.argsort(_native.hilbert_keys(turned(centres, rng)), kind="stable")
    else:
        x, y = centres.T
        order = np.argsort(sense * np.arctan2(y, x), kind="stable")
    reverse = sense * areas(from_depot, starts) < 0

    starts, sizes, reverse = starts[order], sizes[order], reverse[order]
    new_starts = np.cumsum(sizes) - sizes
    step = np.arange(len(solution.nodes)) - np.repeat(new_starts, sizes)  # place in the route
    origin = np.where(reverse, starts + sizes - 1, starts)
    pick = np.repeat(origin, sizes) + np.where(np.repeat(reverse, sizes), -step, step)
    via_depot = np.zeros(len(pick), dtype=np.bool_)
    via_depot[new_starts] = True
    return solution.nodes[pick], via_depot


def areas(from_depot: NDArray[np.float64], starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Twice the area that each route encloses, positive if it runs counterclockwise."""
    x, y = from_depot.T
    turn = x * np.roll(y, -1) - y * np.roll(x, -1)  # (n,): from each node to the next
    turn[starts - 1] = 0.0  # the last node of a route is followed by the depot
    areas: NDArray[np.float64] = np.add.reduceat(turn, starts)
    return areas


def _loads_before(
    problem: Problem, nodes: NDArray[np.int32], starts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Load of a route before each of its nodes, shape (n,)."""
    assert problem.demand is not None
    demand = problem.demand[nodes]
    before = np.cumsum(demand) - demand
    loads: NDArray[np.int64] = before - np.repeat(
        before[starts], np.diff(starts, append=len(nodes))
    )
    return loads


def _charged_loads(
    problem: Problem,
    nodes: NDArray[np.int32],
    via_depot: NDArray[np.bool_],
    rng: np.random.Generator,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Load to reserve if a run begins, or ends, at a node: the load of its route outside the run.

    If a cut divides a route, both sides may be rebuilt at the same time. So only one of them, drawn
    at random, may use the free capacity of the route; for the other, it is reserved as well.
    """
    assert problem.demand is not None and problem.capacity is not None
    starts = np.flatnonzero(via_depot)
    sizes = np.diff(starts, append=len(nodes))
    totals = np.add.reduceat(problem.demand[nodes], starts)
    before = _loads_before(problem, nodes, starts)
    after = np.repeat(totals, sizes) - before - problem.demand[nodes]

    room = problem.capacity - totals
    to_first_side = rng.random(len(starts)) < 0.5
    is_last = np.roll(via_depot, -1)
    # At a route's own first or last node, none of it lies outside, so nothing is reserved.
    before += np.where(via_depot, 0, np.repeat(np.where(to_first_side, room, 0), sizes))
    after += np.where(is_last, 0, np.repeat(np.where(to_first_side, 0, room), sizes))
    return before, after


def _travelled(
    problem: Problem, nodes: NDArray[np.int32], via_depot: NDArray[np.bool_]
) -> tuple[NDArray[np.float64] | None, NDArray[np.float64] | None]:
    """Return the lengths and service times before and after each node in its route, (n, 2) each.

    They are None if the length of routes is not limited. Runs that share a route do not share out
    what is left of it, as they do with loads: recombination looks at whole routes.
    """
    if not problem.has_route_limits:
        return None, None
    starts = np.flatnonzero(via_depot)
    sizes = np.diff(starts, append=len(nodes))
    legs = problem.distance(np.where(via_depot, 0, np.roll(nodes, 1)), nodes)
    ends = starts + sizes - 1
    service = np.zeros(len(nodes))
    if problem.service is not None:
        service = problem.travelled(problem.service[nodes])
    sums = np.cumsum(np.stack([legs, service], axis=1), axis=0)  # (n, 2)
    own = np.stack([np.zeros(len(nodes)), service], axis=1)  # what a node adds itself
    before_route = sums[starts] - np.stack([legs, service], axis=1)[starts]
    there = sums - own - np.repeat(before_route, sizes, axis=0)
    totals = sums[ends].copy()
    totals[:, 0] += problem.distance(nodes[ends], 0)
    back = np.repeat(totals, sizes, axis=0) - sums
    return np.maximum(there, 0), np.maximum(back, 0)


def _require_same_runs(old: PartialSolutions, new: object) -> None:
    """Detect a faulty reconstructor before it corrupts the solution."""
    if not isinstance(new, PartialSolutions):
        raise InvalidSolutionError(
            f"a reconstructor must return PartialSolutions, not a value of type "
            f"{type(new).__name__}"
        )
    if (old.via_depot is None) != (new.via_depot is None):
        raise InvalidSolutionError(
            "a reconstructor must return via_depot for CVRP, and only for CVRP"
        )
    if (
        old.nodes.shape != new.nodes.shape
        or not np.array_equal(old.nodes[:, [0, -1]], new.nodes[:, [0, -1]])
        or not np.array_equal(np.sort(old.nodes, axis=1), np.sort(new.nodes, axis=1))
    ):
        raise InvalidSolutionError(
            "a reconstructor must return the same nodes between the same ends"
        )
