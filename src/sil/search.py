"""Native search as a reconstructor: regions of the map are improved side by side."""

import time
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sil import _native
from sil.neighbours import nearest, spread
from sil.problem import Problem
from sil.regions import divide
from sil.round import Round
from sil.solution import Solution

_TOUR_NEIGHBOURS, _ROUTE_NEIGHBOURS = 8, 40
_LARGEST_REGION = 5_000  # nodes: what fits the cache
_SMALLEST_REGION = 50
_CELLS = 20_000
_QUENCH = 0.03  # of the budget goes without heat, lest an early Ctrl-C have little to show
_SECONDS_PER_NODE = 1e-5  # a shorter round would spend its time on cutting
_LONGEST_ROUND = (
    10.0  # seconds: a long run has more rounds, so that other limits than time hold too
)


class _Searcher(Protocol):
    """What differs between the problems."""

    rounds: int  # into which a time limit is divided
    steps: float  # a node, in a round of no given length
    hot: float  # temperature at the beginning, in mean edges
    cold: float  # and at the end

    def search(
        self, solution: Solution, descend: bool, steps: float, temperature: float, this: Round
    ) -> Solution:
        """Improve the solution; `descend` if it may not be a local optimum."""
        ...


class SearchReconstructor:
    """Improves regions of the map by iterated k-opt (TSP) or ruin and recreate (CVRP).

    A region is a partial solution in the sense of the paper, but cut by place instead of along
    the tour: it holds all edges between its nodes, or whole neighbouring routes, and the rest of
    the solution stands still meanwhile. Regions are cut anew each round, so that borders move.

    If the run's budget is known, changes for the worse are accepted at first, and ever less
    towards the end (simulated annealing).
    """

    name = "search"

    def __init__(self) -> None:
        self._state: _State | None = None

    def improve(self, problem: Problem, solution: Solution, this: Round) -> Solution:
        """Improve all regions for one round; see `sil.round.Reconstructor`."""
        if self._state is None or self._state.problem is not problem:
            self._state = _State(problem, solution, this)
        state, searcher, nodes = self._state, self._state.searcher, problem.num_nodes
        steps = searcher.steps
        if this.seconds is not None:
            seconds = min(this.seconds / searcher.rounds, _LONGEST_ROUND)
            seconds = max(seconds, _SECONDS_PER_NODE * nodes)
            steps = seconds * state.steps_per_second / nodes
        heat = 0.0
        if this.used is not None and this.used > _QUENCH:
            heat = searcher.hot * (searcher.cold / searcher.hot) ** this.used * state.mean_edge
        begun = time.perf_counter()
        known = solution is state.last
        inner = state.last_inner if known else state.numbering.inward(solution)
        state.last_inner = searcher.search(inner, not known, steps, heat, this)
        state.last = state.numbering.outward(state.last_inner)
        if not this.interrupt.is_set():
            state.steps_per_second = max(1.0, steps * nodes / (time.perf_counter() - begun))
        return state.last


class _State:
    """What is kept from round to round."""

    def __init__(self, problem: Problem, solution: Solution, this: Round) -> None:
        self.problem = problem
        self.numbering = _Numbering(problem)
        kind = _Tours if problem.kind == "TSP" else _Routes
        self.searcher: _Searcher = kind(self.numbering.problem, this)
        self.mean_edge = _mean_edge(problem, solution)
        self.steps_per_second = 10_000.0  # a guess, measured in every round
        self.last: Solution | None = None  # returned, and the same in our numbers
        self.last_inner = solution


class _Numbering:
    """The same problem with its nodes numbered along a space-filling curve.

    What is near on the map is then near in memory, which is worth a factor at a million nodes.
    """

    def __init__(self, problem: Problem) -> None:
        inner = problem.nodes
        along = inner[np.argsort(_native.hilbert_keys(problem.layout[inner]), kind="stable")]
        depots = np.arange(problem.dimension - len(inner), dtype=np.int32)
        self.outer = np.concatenate([depots, along])  # our node -> the problem's
        self._inner = np.empty_like(self.outer)
        self._inner[self.outer] = np.arange(problem.dimension, dtype=np.int32)
        self.problem = Problem(
            None if problem.coords is None else problem.coords[self.outer],
            None if problem.demand is None else problem.demand[self.outer],
            problem.capacity,
            problem.metric,
            None if problem.matrix is None else problem.matrix[np.ix_(self.outer, self.outer)],
        )

    def inward(self, solution: Solution) -> Solution:
        """Write a solution of the given problem in our numbers."""
        return Solution(self._inner[solution.nodes], solution.via_depot)

    def outward(self, solution: Solution) -> Solution:
        """Write our solution in the given problem's numbers."""
        return Solution(self.outer[solution.nodes], solution.via_depot)


class _Tours:
    rounds, steps, hot, cold = 200, 2.0, 0.5, 0.02

    def __init__(self, problem: Problem, this: Round) -> None:
        self._problem = problem
        self._neighbours = spread(
            problem, problem.nodes, _TOUR_NEIGHBOURS, this.interrupt, this.threads
        )
        # Dividing cells of a few nodes along the curve is as good, and quick at a million nodes.
        starts = np.arange(0, problem.num_nodes, max(1, problem.num_nodes // _CELLS))
        self._sizes = np.diff(starts, append=problem.num_nodes)
        self._centres = np.add.reduceat(problem.layout, starts) / self._sizes[:, None]

    def search(
        self, solution: Solution, descend: bool, steps: float, temperature: float, this: Round
    ) -> Solution:
        problem = self._problem
        count = _number_of_regions(problem.num_nodes, this.threads)
        cells = divide(self._centres, self._sizes.astype(np.float64), count, this.rng)
        region = np.repeat(cells, self._sizes)
        tour = _native.search_tour(
            problem.geometry,
            solution.nodes,
            region,
            count,
            self._neighbours,
            descend,
            steps,
            temperature,
            int(this.rng.integers(2**62)),
            this.threads,
            this.interrupt,
        )
        return Solution(tour)


class _Routes:
    rounds, steps, hot, cold = 1_000, 3.0, 2.0, 0.03

    def __init__(self, problem: Problem, this: Round) -> None:
        self._problem = problem
        near = nearest(problem, problem.nodes, _ROUTE_NEIGHBOURS, this.interrupt, this.threads)
        self._neighbours = np.zeros((problem.dimension, near.shape[1]), dtype=np.int32)
        np.add(near, 1, out=self._neighbours[1:])  # the customers follow the depot

    def search(
        self, solution: Solution, descend: bool, steps: float, temperature: float, this: Round
    ) -> Solution:
        del descend
        problem = self._problem
        assert solution.via_depot is not None and problem.demand is not None
        starts = np.flatnonzero(solution.via_depot).astype(np.int32)
        sizes = np.diff(starts, append=len(solution.nodes))
        centres = np.add.reduceat(problem.layout[solution.nodes], starts) / sizes[:, None]
        count = min(_number_of_regions(problem.num_nodes, this.threads), len(starts))
        group = divide(centres, sizes.astype(np.float64), count, this.rng)
        nodes, first = _native.search_routes(
            problem.geometry,
            solution.nodes,
            starts,
            group,
            count,
            problem.demand,
            problem.capacity or 0,
            self._neighbours,
            None,
            steps,
            temperature,
            int(this.rng.integers(2**62)),
            this.threads,
            this.interrupt,
        )
        return Solution(nodes, first.astype(np.bool_))


def _number_of_regions(num_nodes: int, threads: int) -> int:
    """As many as the threads need, or more where they would get too large, but none too small."""
    wanted = max(threads, -(-num_nodes // _LARGEST_REGION))
    return max(1, min(wanted, num_nodes // _SMALLEST_REGION))


def _mean_edge(problem: Problem, solution: Solution) -> float:
    """Mean length of the edges between neighbouring nodes; depot legs say little about them."""
    edges: NDArray[np.float64] = problem.distance(solution.nodes[:-1], solution.nodes[1:])
    if solution.via_depot is not None:
        edges = edges[~solution.via_depot[1:]]
    return float(edges.mean()) if edges.size else 0.0
