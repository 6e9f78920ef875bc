"""Native search as a reconstructor: improves the regions of a map in parallel."""

import time
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sil import _native
from sil._native import EDGE_CANDIDATES, Routes
from sil.neighbours import nearest_to_visit
from sil.policy.edges import EdgeLists, likely_edges, shipped_network
from sil.problem import Problem
from sil.reconstruct.protocol import Round
from sil.reconstruct.regions import divide
from sil.solution import Solution

_ROUTE_NEIGHBOURS = 40
_LARGEST_REGION = 5_000  # nodes, so that a region fits into the cache
_SMALLEST_REGION = 50
_CELLS = 20_000
_QUENCH = 0.03  # share of the budget before annealing begins: helps if Ctrl-C comes early
_SECONDS_PER_NODE = 1e-5  # a shorter round would spend most of its time on cutting
_REMOVAL_SHARE = 0.7  # of the budget, after which a fleet that is too small is given up
_ROOM_FOR_REMOVAL = 3  # capacities that a group should have left over to remove a route
_LONGEST_ROUND = 10.0  # seconds: other limits than time are only checked between rounds


class _Searcher(Protocol):
    """What differs between TSP and CVRP."""

    steps: float  # per node, in a round without a time limit
    hot: float  # temperature at the beginning, in mean edge lengths
    cold: float  # temperature at the end

    def rounds(self, routes: Routes, this: Round) -> int:
        """Return into how many rounds like the next the time limit is divided."""
        ...

    def search(
        self, routes: Routes, descend: bool, steps: float, temperature: float, this: Round
    ) -> Routes:
        """Improve a solution. `descend` says that it may not be a local optimum yet."""
        ...


class SearchReconstructor:
    """Improves regions of the map by iterated k-opt (TSP) or ruin and recreate (CVRP).

    A region corresponds to the paper's partial solution, but is an area of the map instead of a
    run of nodes. It has all edges between its nodes, or whole neighbouring routes. The rest of the
    solution does not change meanwhile. Regions are cut anew in each round, so that borders move.

    If the run's budget is known, the search accepts changes for the worse, ever fewer towards the
    end (simulated annealing).

    Parameters
    ----------
    edges
        Which edges a tour may get, as lists of nodes. Default: the likeliest ones, as the shipped
        edge network finds.
    """

    name = "search"

    def __init__(self, edges: EdgeLists | None = None) -> None:
        self._edges = edges
        self._state: _State | None = None

    @staticmethod
    def expect(problem: Problem) -> None:
        """Announce that a problem will be searched: its start then finds neighbours for both."""
        tours = problem.kind == "TSP"
        problem.instance.expect_nearest(EDGE_CANDIDATES if tours else _ROUTE_NEIGHBOURS + 1)

    def improve(self, problem: Problem, solution: Solution, this: Round) -> Solution:
        """Improve all regions for one round; see `sil.reconstruct.protocol.Reconstructor`."""
        if self._state is None or self._state.problem is not problem:
            numbering = _Numbering(problem)
            made: _Searcher = (
                _TourSearch(numbering, this, self._edges)
                if problem.kind == "TSP"
                else _RouteSearch(numbering, this)
            )
            self._state = _State(problem, numbering, made, _mean_edge(problem, solution))
        state, searcher, nodes = self._state, self._state.searcher, problem.num_nodes
        inner, descend = state.last_inner, False
        if inner is None or solution is not state.last:
            inner, descend = state.numbering.inward(solution), True
        steps = searcher.steps
        if this.seconds is not None:
            seconds = min(this.seconds / searcher.rounds(inner, this), _LONGEST_ROUND)
            seconds = max(seconds, _SECONDS_PER_NODE * nodes)
            steps = seconds * state.steps_per_second / nodes
        heat = 0.0
        if this.used is not None and this.used > _QUENCH:
            heat = searcher.hot * (searcher.cold / searcher.hot) ** this.used * state.mean_edge
        begun = time.perf_counter()
        state.last_inner = searcher.search(inner, descend, steps, heat, this)
        state.last = state.numbering.outward(state.last_inner)
        if not this.interrupt.is_set():
            state.steps_per_second = max(1.0, steps * nodes / (time.perf_counter() - begun))
        return state.last


class _State:
    """What is kept between rounds."""

    def __init__(
        self, problem: Problem, numbering: "_Numbering", searcher: _Searcher, mean_edge: float
    ) -> None:
        self.problem, self.numbering = problem, numbering
        self.searcher, self.mean_edge = searcher, mean_edge
        self.steps_per_second = 10_000.0  # a first guess; every round measures it
        self.last: Solution | None = None  # the last result; `last_inner` is the same, renumbered
        self.last_inner: Routes | None = None


class _Numbering:
    """The same problem with its nodes numbered along a space-filling curve.

    Nodes that are near on the map are then near in memory: much faster with a million nodes.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        visited = problem.nodes
        keys = _native.hilbert_keys(problem.layout[visited])
        depots = np.arange(problem.dimension - len(visited), dtype=np.int32)
        # The problem's number of each of our nodes.
        self.outer = np.concatenate([depots, visited[np.argsort(keys, kind="stable")]])
        self._inner = np.empty_like(self.outer)
        self._inner[self.outer] = np.arange(problem.dimension, dtype=np.int32)
        self.instance = problem.instance.renumbered(self.outer)
        self.layout = problem.layout[self.outer]

    def inward(self, solution: Solution) -> Routes:
        """Convert a solution of the problem to our numbers."""
        return Routes(self._inner[solution.nodes], solution.starts)

    def outward(self, routes: Routes) -> Solution:
        """Convert our solution to the problem's numbers."""
        found = Routes(self.outer[routes.nodes], routes.starts)
        return Solution.from_native(self.problem, found, self.instance.cost(routes))


class _TourSearch:
    steps, hot, cold = 2.0, 0.5, 0.02

    def __init__(self, numbering: _Numbering, this: Round, edges: EdgeLists | None) -> None:
        self._numbering = numbering
        near = nearest_to_visit(
            numbering.problem, EDGE_CANDIDATES, this.interrupt, this.threads, numbering.outer
        )
        edges = edges or likely_edges(shipped_network())
        self._neighbours = edges(numbering.instance, near, this.threads, this.interrupt)
        # Dividing cells of a few nodes each is as good as dividing nodes, and faster.
        size = numbering.problem.num_nodes
        starts = np.arange(0, size, max(1, size // _CELLS))
        self._sizes = np.diff(starts, append=size)
        self._centres = np.add.reduceat(numbering.layout, starts) / self._sizes[:, None]

    def rounds(self, routes: Routes, this: Round) -> int:
        del routes, this
        return 200

    def search(
        self, routes: Routes, descend: bool, steps: float, temperature: float, this: Round
    ) -> Routes:
        count = _number_of_regions(self._numbering.problem.num_nodes, this.threads)
        cells = divide(self._centres, self._sizes.astype(np.float64), count, this.rng)
        return _native.search_tour(
            self._numbering.instance,
            self._neighbours,
            routes,
            np.repeat(cells, self._sizes),
            count,
            descend,
            _native.Effort(steps, temperature, int(this.rng.integers(2**62))),
            this.threads,
            this.interrupt,
        )


class _RouteSearch:
    steps, hot, cold = 3.0, 2.0, 0.03

    def __init__(self, numbering: _Numbering, this: Round) -> None:
        self._numbering = numbering
        self._neighbours = nearest_to_visit(
            numbering.problem, _ROUTE_NEIGHBOURS, this.interrupt, this.threads, numbering.outer
        )

    def search(
        self, routes: Routes, descend: bool, steps: float, temperature: float, this: Round
    ) -> Routes:
        del descend
        nodes, starts = routes.nodes, routes.starts
        sizes = np.diff(starts, append=len(nodes))
        centres = np.add.reduceat(self._numbering.layout[nodes], starts) / sizes[:, None]
        problem = self._numbering.problem
        count = min(_number_of_regions(problem.num_nodes, this.threads), len(starts))
        removals = 0
        if excess := self._removable(len(starts), this):
            count = min(count, self._groups_with_room(len(starts)))
            removals = -(-excess // count)
        group = divide(centres, sizes.astype(np.float64), count, this.rng)
        return _native.search_routes(
            self._numbering.instance,
            self._neighbours,
            routes,
            group,
            count,
            _native.Effort(steps, temperature, int(this.rng.integers(2**62))),
            this.threads,
            this.interrupt,
            None,
            removals,
        )

    def rounds(self, routes: Routes, this: Round) -> int:
        # It takes long to find a place for the customers of a removed route.
        return 30 if self._removable(len(routes.starts), this) else 1_000

    def _removable(self, routes: int, this: Round) -> int:
        """Return how many routes to remove: those beyond the fleet, but not at the very end."""
        late = this.used is not None and this.used > _REMOVAL_SHARE
        return 0 if late else self._numbering.problem.excess(routes)

    def _groups_with_room(self, routes: int) -> int:
        """Return how many groups may each have enough room to do without one of their routes."""
        problem = self._numbering.problem
        assert problem.demand is not None and problem.capacity is not None
        room = routes * problem.capacity - int(problem.demand.sum())
        return max(1, room // (_ROOM_FOR_REMOVAL * problem.capacity))


def _number_of_regions(num_nodes: int, threads: int) -> int:
    """One region per thread, more if they would be too large, fewer if too small."""
    wanted = max(threads, -(-num_nodes // _LARGEST_REGION))
    return max(1, min(wanted, num_nodes // _SMALLEST_REGION))


def _mean_edge(problem: Problem, solution: Solution) -> float:
    """Mean length of the edges, without those to and from the depot."""
    edges: NDArray[np.float64] = problem.distance(solution.nodes[:-1], solution.nodes[1:])
    if solution.via_depot is not None:
        edges = edges[~solution.via_depot[1:]]
    return float(edges.mean()) if edges.size else 0.0
