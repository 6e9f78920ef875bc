"""Starts: quick ways to construct a first solution.

Each takes the problem, a seed and an interrupt, and raises `StoppedError` when interrupted. Those
in this module also take a number of threads. Their results do not depend on it.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sil import _native
from sil._native import Interrupt
from sil.errors import InputError, StoppedError
from sil.limits import exceeds
from sil.neighbours import nearest
from sil.policy.native import NativePolicy
from sil.problem import Problem
from sil.seeds import generator
from sil.solution import Solution

_GREEDY_NEIGHBOURS, _ORDER_NEIGHBOURS = 8, 10


def insertion(problem: Problem, seed: int, interrupt: Interrupt, threads: int = 1) -> Solution:
    """Random insertion (paper, appendix Generate the Initial Solution).

    Inserts the nodes in random order, each at the cheapest place; for CVRP, in any route with
    enough room. The paper does not say how routes are opened. Here, each of the first customers
    opens one, 1.5 times as many as the demand needs, which comes close to the paper's costs.
    """
    del threads
    order = generator(seed).permutation(problem.nodes)
    num_seeds = max(1, min(3 * problem.fewest_routes // 2, len(order)))
    return _insert(problem, order, num_seeds, interrupt)


def sweep(problem: Problem, seed: int, interrupt: Interrupt, threads: int = 1) -> Solution:
    """Cheapest insertion of the customers, ordered by their angle around the depot.

    The sweep begins after the widest empty angle. A route takes its customers from one sector. A
    new route is opened when all others are full, which suits long routes.
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

    This is so quick that it ignores `interrupt`: there is always time for it.
    """
    del seed, interrupt, threads
    nodes = problem.nodes[
        np.argsort(_native.hilbert_keys(problem.layout[problem.nodes]), kind="stable")
    ]
    if problem.demand is None or problem.capacity is None:
        return Solution(nodes)
    via_depot = np.zeros(len(nodes), dtype=np.bool_)
    # Total demand and capacity are below 2^53, so their sum cannot overflow.
    filled = np.cumsum(problem.demand[nodes])
    is_short = _short_enough(problem, nodes)
    begin = 0
    while begin < len(nodes):
        via_depot[begin] = True
        before = filled[begin - 1] if begin else 0
        end = int(np.searchsorted(filled, before + problem.capacity, side="right"))
        begin = end if is_short is None else is_short(begin, end)
    return Solution(nodes, via_depot)


def _short_enough(problem: Problem, nodes: NDArray[np.int32]) -> Callable[[int, int], int] | None:
    """Return what tells where a route must end that begins at an index, at the latest at another.

    None if the length of routes is not limited.
    """
    if not problem.has_route_limits:
        return None
    steps = np.cumsum(problem.distance(nodes, np.roll(nodes, 1)))  # (n,), up to each node
    legs = problem.distance(0, nodes)
    service = np.zeros(len(nodes)) if problem.service is None else problem.service[nodes]
    served = np.cumsum(service)

    def end_of(begin: int, latest: int) -> int:
        width = 64  # most routes are short, so look at more of the sequence only if needed
        while True:
            here = slice(begin, min(latest, begin + width))
            lengths = legs[begin] + steps[here] - steps[begin] + legs[here]
            times = lengths / problem.speed + served[here] - served[begin] + service[begin]
            over = exceeds(lengths, problem.max_distance) | exceeds(times, problem.max_duration)
            if over.any():
                return begin + max(1, int(np.argmax(over)))
            if here.stop == latest:
                return latest
            width *= 4

    return end_of


def greedy(problem: Problem, seed: int, interrupt: Interrupt, threads: int = 1) -> Solution:
    """Greedy edge: repeatedly take the shortest edge that can still be part of a tour."""
    del seed
    if problem.kind == "CVRP":
        raise InputError("the start 'greedy' is for TSP: use savings, sweep, insertion or curve")
    near = nearest(problem, _GREEDY_NEIGHBOURS, interrupt, threads)
    return _found(problem, _native.greedy_edge(problem.instance, near, threads, interrupt))


def savings(problem: Problem, seed: int, interrupt: Interrupt, threads: int = 1) -> Solution:
    """Clarke and Wright's savings over pairs of near neighbours.

    Every customer begins with its own route. Routes are joined in the order of what that saves, if
    the capacity allows it. For TSP, node 0 acts as the depot and there is no capacity.
    """
    del seed
    # Large problems use fewer, to save memory.
    few = problem.kind == "TSP" or problem.num_nodes > 200_000
    near = nearest(problem, 17 if few else 41, interrupt, threads)  # one of them may be the depot
    found = _found(problem, _native.savings(problem.instance, near, threads, interrupt))
    return _in_good_order(problem, found, interrupt, threads)


def policy(problem: Problem, seed: int, interrupt: Interrupt, threads: int = 1) -> Solution:
    """Construct greedily with the shipped policy (paper, Generate the Initial Solution)."""
    del threads  # one thread decodes the whole solution
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
    """Look up a start by name, to run on `threads` threads."""
    if name not in STARTS:
        raise InputError(f"unknown start {name!r}: choose from {', '.join(STARTS)}")
    return partial(STARTS[name], threads=threads)


def construct(problem: Problem, start: str, seed: int = 0, threads: int = 1) -> Solution:
    """Construct a first solution with a named start. Equal seeds give equal solutions."""
    return start_named(start, threads)(problem, seed, Interrupt())


def _insert(
    problem: Problem, order: NDArray[np.int32], num_seeds: int, interrupt: Interrupt
) -> Solution:
    return _found(problem, _native.insertion(problem.instance, order, num_seeds, interrupt))


def _found(problem: Problem, routes: _native.Routes | None) -> Solution:
    if routes is None:
        raise StoppedError
    return Solution.from_native(problem, routes)


def _in_good_order(
    problem: Problem, solution: Solution, interrupt: Interrupt, threads: int
) -> Solution:
    """Improve the order within each route, which the assignment to routes neglects."""
    if problem.kind == "TSP":
        return solution
    routes = _native.improve_order(
        problem.instance,
        nearest(problem, _ORDER_NEIGHBOURS, interrupt, threads),
        solution.native(),
        False,
        _native.Effort(0),
        threads,
        interrupt,
    )
    return Solution.from_native(problem, routes)
