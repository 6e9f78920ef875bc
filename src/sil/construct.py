"""Starts: quick ways to a first solution.

Each takes the problem, a seed and an interrupt, and raises `StoppedError` when interrupted. Those
of this module also take a number of threads, on which their results do not depend.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sil import _native
from sil._native import Fragments, Interrupt
from sil.errors import InputError, StoppedError
from sil.neighbours import nearest
from sil.policy.native import NativePolicy
from sil.problem import Problem
from sil.seeds import generator
from sil.solution import Solution

_NO_LIMIT = 2**62


def insertion(problem: Problem, seed: int, interrupt: Interrupt, threads: int = 1) -> Solution:
    """Random insertion (paper, appendix Generate the Initial Solution).

    Nodes in random order, each at the cheapest of all places. For CVRP the places are those of
    all routes with room; the paper does not say how routes open, so half as many again as the
    demand needs are opened by the first customers, which comes close to the paper's costs.
    """
    del threads
    order = generator(seed).permutation(problem.nodes)
    num_seeds = max(1, min(3 * problem.fewest_routes // 2, len(order)))
    return _insert(problem, order, num_seeds, interrupt)


def sweep(problem: Problem, seed: int, interrupt: Interrupt, threads: int = 1) -> Solution:
    """Cheapest insertion of the customers by their angle around the depot.

    The sweep begins behind the widest empty angle. A route takes its customers from one sector
    and a new one opens when all others are full, which suits long routes.
    """
    del seed
    if problem.kind == "TSP":
        raise InputError("the start 'sweep' is for CVRP: use insertion, curve, greedy or savings")
    x, y = (problem.layout[1:] - problem.layout[0]).T
    angle = np.arctan2(y, x)
    order = np.argsort(angle, kind="stable")
    gaps = np.diff(angle[order], append=angle[order[0]] + 2 * np.pi)
    order = np.roll(order, -int(np.argmax(gaps)) - 1)
    solution = _insert(problem, problem.nodes[order], 1, interrupt)
    return _in_good_order(problem, solution, interrupt, threads)


def curve(problem: Problem, seed: int, interrupt: Interrupt, threads: int = 1) -> Solution:
    """Visit the nodes along a Hilbert curve; for CVRP, return to the depot when full.

    So quick that it does not look at `interrupt`: there is always time for this start.
    """
    del seed, interrupt, threads
    nodes = problem.nodes[
        np.argsort(_native.hilbert_keys(problem.layout[problem.nodes]), kind="stable")
    ]
    if problem.demand is None or problem.capacity is None:
        return Solution(nodes)
    via_depot = np.zeros(len(nodes), dtype=np.bool_)
    # Total demand and capacity are below 2^53, so that no sum of them overflows.
    filled = np.cumsum(problem.demand[nodes])
    begin = 0
    while begin < len(nodes):
        via_depot[begin] = True
        before = filled[begin - 1] if begin else 0
        begin = int(np.searchsorted(filled, before + problem.capacity, side="right"))
    return Solution(nodes, via_depot)


def greedy(problem: Problem, seed: int, interrupt: Interrupt, threads: int = 1) -> Solution:
    """Greedy edge: take the shortest edge that still can be part of a tour, again and again."""
    del seed
    if problem.kind == "CVRP":
        raise InputError("the start 'greedy' is for TSP: use savings, sweep, insertion or curve")
    return Solution(_join_until_one(problem, problem.nodes, 8, None, interrupt, threads))


def savings(problem: Problem, seed: int, interrupt: Interrupt, threads: int = 1) -> Solution:
    """Clarke and Wright's savings over pairs of near neighbours.

    Every customer begins with a route of its own; the routes whose joining saves most are joined
    while the capacity allows. For TSP, node 0 plays the depot and nothing is full.
    """
    del seed
    customers = np.arange(1, problem.dimension, dtype=np.int32)

    if problem.demand is None or problem.capacity is None:
        if len(customers) == 0:
            return Solution(problem.nodes)
        path = _join_until_one(problem, customers, 16, 0, interrupt, threads)
        return Solution(np.insert(path, 0, 0))

    fragments = Fragments(problem.demand[1:], problem.capacity)
    # A million customers can do with fewer: memory.
    width = 40 if len(customers) <= 200_000 else 16
    near = nearest(problem, customers, width, interrupt, threads)
    at = np.arange(len(customers), dtype=np.int32)
    fragments.join(problem.geometry, customers, at, near, 0, interrupt)
    StoppedError.raise_if(interrupt)
    positions, starts = fragments.paths()
    via_depot = np.zeros(len(customers), dtype=np.bool_)
    via_depot[starts] = True
    return _in_good_order(problem, Solution(customers[positions], via_depot), interrupt, threads)


def policy(problem: Problem, seed: int, interrupt: Interrupt, threads: int = 1) -> Solution:
    """Construct greedily with the shipped policy (paper, Generate the Initial Solution)."""
    del threads  # one decodes the whole
    return NativePolicy.load(problem).construct(problem, seed, interrupt)


Start = Callable[[Problem, int, Interrupt], Solution]

STARTS: dict[str, Callable[..., Solution]] = {
    "insertion": insertion,
    "curve": curve,
    "greedy": greedy,
    "savings": savings,
    "sweep": sweep,
    "policy": policy,
}


def start_named(name: str, threads: int = 1) -> Start:
    """Look up a start by its name, to run on so many threads."""
    if name not in STARTS:
        raise InputError(f"unknown start {name!r}: choose from {', '.join(STARTS)}")
    return partial(STARTS[name], threads=threads)


def construct(problem: Problem, start: str, seed: int = 0, threads: int = 1) -> Solution:
    """Make a first solution by the start of this name; equal seeds give equal solutions."""
    return start_named(start, threads)(problem, seed, Interrupt())


def _insert(
    problem: Problem, order: NDArray[np.int32], num_seeds: int, interrupt: Interrupt
) -> Solution:
    built = _native.insertion(
        problem.geometry, order, problem.demand, problem.capacity or 0, num_seeds, interrupt
    )
    if built is None:
        raise StoppedError
    nodes, first = built
    return Solution(nodes, None if problem.demand is None else first.astype(np.bool_))


def _in_good_order(
    problem: Problem, solution: Solution, interrupt: Interrupt, threads: int
) -> Solution:
    """Improve the order inside each route, which assigning customers to routes neglects."""
    if solution.via_depot is None:
        return solution
    everywhere = np.arange(problem.dimension, dtype=np.int32)
    nodes = _native.improve_order(
        problem.geometry,
        solution.nodes,
        np.flatnonzero(solution.via_depot).astype(np.int32),
        False,
        nearest(problem, everywhere, 10, interrupt, threads),
        kicks=0,
        seed=0,
        threads=threads,
        interrupt=interrupt,
    )
    return Solution(nodes, solution.via_depot)


def _join_until_one(
    problem: Problem,
    nodes: NDArray[np.int32],
    count: int,
    depot: int | None,
    interrupt: Interrupt,
    threads: int,
) -> NDArray[np.int32]:
    """Join near ends, then near ends of what that left, until one path holds all nodes."""
    fragments = Fragments(np.zeros(len(nodes), dtype=np.int64), _NO_LIMIT)
    at = np.arange(len(nodes), dtype=np.int32)
    while len(fragments) > 1:
        near = nearest(problem, nodes[at], count, interrupt, threads)
        fragments.join(problem.geometry, nodes, at, near, depot, interrupt)
        StoppedError.raise_if(interrupt)
        # Sorted, so that the result does not hang on the order of the paths.
        at = np.unique(fragments.ends())
    return nodes[fragments.paths()[0]]
