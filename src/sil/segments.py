"""Cut partial solutions out of a solution, and put the better ones back.

One round of the paper's parallel local reconstruction (section Local Reconstruction) cuts
non-overlapping partial solutions of equal length at a random place and in a random direction.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sil import _native
from sil.problem import Problem
from sil.regions import turned
from sil.solution import Solution

_TO_DEPOT = 0.5  # share of the rounds in which parts of a CVRP end at the depot
_ALONG_CURVE = 0.5  # share of the rounds in which routes do not follow each other around it
SHORTEST = 4  # the paper's least length of a partial solution


@dataclass(frozen=True)
class PartialSolutions:
    """A batch of m runs of w consecutive nodes, the first and the last of each being fixed.

    For CVRP the flag of a run's first node lies outside and is not to be changed. A run may begin
    and end inside a route: `load_before` and `load_after` are what the rest of that route is
    charged with, so that runs that share a route can be rebuilt at the same time.

    Parameters
    ----------
    nodes
        Shape (m, w).
    via_depot
        Whether a node is reached through the depot, shape (m, w); None for TSP.
    load_before
        Charged to the route of the first node, shape (m,); None for TSP.
    load_after
        Charged to the route of the last node, shape (m,); None for TSP.
    """

    nodes: NDArray[np.int32]
    via_depot: NDArray[np.bool_] | None = None
    load_before: NDArray[np.int64] | None = None
    load_after: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.nodes)

    def costs(self, problem: Problem) -> NDArray[np.float64]:
        """Length of each run, depot legs included, shape (m,)."""
        a, b = self.nodes[:, :-1], self.nodes[:, 1:]  # (m, w - 1)
        steps: NDArray[np.float64] = problem.distance(a, b)
        if self.via_depot is not None:
            legs = problem.distance(a, 0) + problem.distance(0, b)
            steps = np.where(self.via_depot[:, 1:], legs, steps)
        lengths: NDArray[np.float64] = steps.sum(axis=1)
        return lengths

    def fit(self, problem: Problem) -> NDArray[np.bool_]:
        """Whether no route of a run is overloaded, shape (m,)."""
        count, length = self.nodes.shape
        if self.via_depot is None or problem.demand is None or problem.capacity is None:
            return np.ones(count, dtype=np.bool_)
        begins = self.via_depot.copy()
        begins[:, 0] = True
        # Number the pieces of routes over the whole batch; each lies within one run.
        piece = (np.cumsum(begins) - 1).reshape(count, length)
        loads = np.bincount(piece.ravel(), problem.demand[self.nodes].ravel())
        assert self.load_before is not None and self.load_after is not None
        np.add.at(loads, piece[:, 0], self.load_before)
        np.add.at(loads, piece[:, -1], self.load_after)
        fit: NDArray[np.bool_] = np.all(loads[piece] <= problem.capacity, axis=1)
        return fit

    def rebuilt(
        self, nodes: NDArray[np.int32], via_depot: NDArray[np.bool_] | None
    ) -> "PartialSolutions":
        """Return the same runs in another order."""
        return replace(self, nodes=nodes, via_depot=via_depot)

    def picked(self, rows: NDArray[np.int64]) -> "PartialSolutions":
        """Return some of the runs, in this order."""
        return PartialSolutions(
            self.nodes[rows],
            None if self.via_depot is None else self.via_depot[rows],
            None if self.load_before is None else self.load_before[rows],
            None if self.load_after is None else self.load_after[rows],
        )

    def copy(self) -> "PartialSolutions":
        """Return runs whose nodes and flags can be written over."""
        return self.rebuilt(
            self.nodes.copy(), None if self.via_depot is None else self.via_depot.copy()
        )


@dataclass(frozen=True)
class Cut:
    """A solution laid out as a ring, and partial solutions that begin at some places of it.

    The parts follow each other along the ring. If they end at the depot, it is their last node,
    which the ring lacks. The routes of a CVRP run counterclockwise if `sense` is 1, clockwise if it
    is -1.
    """

    nodes: NDArray[np.int32]
    via_depot: NDArray[np.bool_] | None
    parts: PartialSolutions
    begins: NDArray[np.int64]
    sense: int = 0

    @property
    def places(self) -> NDArray[np.int64]:
        """Where the nodes of the parts are in the ring, shape (m, w) without the depot."""
        ends_at_depot = self.via_depot is not None and not self.parts.nodes[:, -1].any()
        length = self.parts.nodes.shape[1] - ends_at_depot
        places: NDArray[np.int64] = self.begins[:, None] + np.arange(length)
        return places

    def put_back(
        self, parts: PartialSolutions
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_] | None]:
        """Return the ring with these parts in it: nodes and flags."""
        places = self.places
        nodes = self.nodes.copy()
        nodes[places] = parts.nodes[:, : places.shape[1]]
        if self.via_depot is None or parts.via_depot is None:
            return nodes, None
        flags = self.via_depot.copy()
        # That of the first node lies outside.
        flags[places[:, 1:]] = parts.via_depot[:, 1 : places.shape[1]]
        return nodes, flags

    def merge(self, problem: Problem, rebuilt: PartialSolutions) -> tuple[Solution, float]:
        """Put back what is shorter and fits of the rebuilt parts, and keep the rest as it was.

        Each difference that can stand alone is judged by itself (the paper takes or leaves a
        whole part): see ``_native/recombine.h``.

        Returns
        -------
        The new solution, and by how much it is shorter.
        """
        _require_same_ends_and_nodes(self.parts, rebuilt)
        fit, flags = rebuilt.fit(problem)[:, None], None
        if self.parts.via_depot is not None and rebuilt.via_depot is not None:
            flags = np.where(fit, rebuilt.via_depot, self.parts.via_depot)
        taken = rebuilt.rebuilt(np.where(fit, rebuilt.nodes, self.parts.nodes), flags)
        run = np.zeros(len(self.nodes), dtype=np.int32)
        run[self.places] = np.arange(len(self.parts))[:, None]
        best, via_depot, gain = _native.recombine(
            problem.geometry,
            run,
            self.nodes,
            self.via_depot,
            *self.put_back(taken),
            problem.demand,
            problem.capacity or 0,
        )
        return Solution(best, None if flags is None else via_depot.astype(np.bool_)), gain


def draw_length(num_nodes: int, longest: int, rng: np.random.Generator) -> int:
    """Draw the length of a round's partial solutions, uniform from 4 to `longest`."""
    return int(rng.integers(min(SHORTEST, num_nodes), min(longest, num_nodes) + 1))


def cut(problem: Problem, solution: Solution, length: int, rng: np.random.Generator) -> Cut:
    """Cut as many partial solutions of `length` nodes as fit, at a random place and direction.

    The routes of a CVRP solution are first ordered so that neighbours in the sequence are
    neighbours on the map, and all run in one sense.
    """
    if problem.demand is None or solution.via_depot is None:
        ring = solution.nodes[::-1] if rng.random() < 0.5 else solution.nodes
        ring = np.roll(ring, -int(rng.integers(len(ring))))
        begins = _side_by_side(len(ring), length)
        return Cut(ring, None, PartialSolutions(_windows(ring, begins, length)), begins)

    sense = 1 if rng.random() < 0.5 else -1
    nodes, via_depot = _lay_out(problem, solution, sense, rng)
    before, after = _charged_loads(problem, nodes, via_depot, rng)
    shift = -int(rng.integers(len(nodes)))
    nodes, via_depot = np.roll(nodes, shift), np.roll(via_depot, shift)
    before, after = np.roll(before, shift), np.roll(after, shift)
    begins = _side_by_side(len(nodes), length)
    parts = PartialSolutions(
        _windows(nodes, begins, length),
        _windows(via_depot, begins, length),
        before[begins],
        after[begins + length - 1],
    )
    return Cut(nodes, via_depot, parts, begins, sense)


def draw_cut(problem: Problem, solution: Solution, length: int, rng: np.random.Generator) -> Cut:
    """Cut partial solutions as the policy learns and rebuilds them.

    Those of a CVRP end at the depot half of the time, and always if there is but one.
    """
    to_depot = problem.kind == "CVRP" and (rng.random() < _TO_DEPOT or length == problem.num_nodes)
    return (cut_to_depot if to_depot else cut)(problem, solution, length, rng)


def cut_to_depot(
    problem: Problem, solution: Solution, length: int, rng: np.random.Generator
) -> Cut:
    """Cut partial solutions of a CVRP that begin at any node and end with a route, at the depot.

    They have `length` nodes and the depot. As their last route need not lead to a given node, the
    policy rebuilds them much better than those of `cut`. Some nodes between them are left out.
    """
    sense = 1 if rng.random() < 0.5 else -1
    nodes, via_depot = _lay_out(problem, solution, sense, rng)
    shift = -int(rng.choice(np.flatnonzero(via_depot)))
    nodes, via_depot = np.roll(nodes, shift), np.roll(via_depot, shift)
    starts = np.flatnonzero(via_depot)
    before = _loads_before(problem, nodes, starts)
    chosen, free = [], 0
    for end in np.append(starts[1:], len(nodes)).tolist():
        if end - length >= free:
            chosen.append(end - length)
            free = end
    begins = np.array(chosen)
    with_depot = ((0, 0), (0, 1))  # a column more, of node 0
    parts = PartialSolutions(
        np.pad(_windows(nodes, begins, length), with_depot),
        np.pad(_windows(via_depot, begins, length), with_depot),
        before[begins],
        np.zeros(len(begins), dtype=np.int64),
    )
    return Cut(nodes, via_depot, parts, begins, sense)


def _side_by_side(count: int, length: int) -> NDArray[np.int64]:
    """Where as many parts begin as fit into a ring, from its first node on."""
    return np.arange(count // length) * length


def _windows(ring: NDArray, begins: NDArray[np.int64], length: int) -> NDArray:  # type: ignore[type-arg]
    """Take `length` entries of the ring from each place on, shape (m, length)."""
    windows: NDArray = ring[begins[:, None] + np.arange(length)]  # type: ignore[type-arg]
    return windows


def _lay_out(
    problem: Problem, solution: Solution, sense: int, rng: np.random.Generator
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Order the routes, and let all run in the same sense; the solution stays the same.

    A policy that learns from such sequences need not guess which way round a route goes. Half of
    the time the order is that of the paper, by the angle around the depot: where one route comes
    back to it, the next one leaves on the same side. But one that lies behind another is then
    often far from it in the sequence, and never rebuilt together with it; so otherwise the order
    is that along a space-filling curve, laid in a random direction.
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
    turn = x * np.roll(y, -1) - y * np.roll(x, -1)  # (n,): between a node and the next
    turn[starts - 1] = 0.0  # the last node of a route is followed by the depot
    areas: NDArray[np.float64] = np.add.reduceat(turn, starts)
    return areas


def _loads_before(
    problem: Problem, nodes: NDArray[np.int32], starts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Sum up what a route carries before each of its nodes, shape (n,)."""
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
    """Load to charge if a run begins, or ends, at a node: what its route carries outside the run.

    Where a cut divides a route, both sides may be rebuilt at once, so only one of them, drawn at
    random, may use the room that the route has left; the other is charged with it.
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
    # At a route's own first or last node nothing of it lies outside, so nothing is charged.
    before += np.where(via_depot, 0, np.repeat(np.where(to_first_side, room, 0), sizes))
    after += np.where(is_last, 0, np.repeat(np.where(to_first_side, 0, room), sizes))
    return before, after


def _require_same_ends_and_nodes(old: PartialSolutions, new: PartialSolutions) -> None:
    """Catch a faulty reconstructor before it spoils the solution."""
    if (
        old.nodes.shape != new.nodes.shape
        or not np.array_equal(old.nodes[:, [0, -1]], new.nodes[:, [0, -1]])
        or not np.array_equal(np.sort(old.nodes, axis=1), np.sort(new.nodes, axis=1))
    ):
        raise ValueError("a reconstructor must return the same nodes between the same ends")
