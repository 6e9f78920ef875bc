"""Partial solutions that the policy begins and native search completes, as further labels.

Good solutions alone never show what the policy comes to by its own mistakes. Here it rebuilds
partial solutions up to some node; from there on the search finds a good order, so that these states
have labels too (dataset aggregation, Ross and others, 2011).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sil import _native
from sil._native import Interrupt
from sil.errors import StoppedError
from sil.neighbours import nearest, spread
from sil.policy.native import NativePolicy
from sil.problem import Problem
from sil.segments import Cut, PartialSolutions, areas, cut, draw_length
from sil.solution import Solution

_LEAST_LEFT = 5  # inner nodes to complete
_ORDER_NEIGHBOURS, _ROUTE_NEIGHBOURS = 8, 40
_KICKS = 4.0  # a node, for orders
_RUINS = 100.0  # a node, for routes
_TEMPERATURES = (0.3, 0.1, 0.03)  # of them, in mean steps of the solution


@dataclass(frozen=True)
class Begun:
    """Partial solutions of which the policy has chosen the first few nodes.

    Parameters
    ----------
    parts
        With the order that the search has found for the rest.
    done
        How many of the inner nodes of each are the policy's choice.
    """

    parts: PartialSolutions
    done: int

    @classmethod
    def of(
        cls, problem: Problem, solution: Solution, completed: Solution, longest: int, seed: int
    ) -> "Begun":
        """Cut up what `begin_and_complete` has made of a solution with this seed."""
        pieces, done, _ = _cut(problem, solution, longest, seed)
        old = pieces.parts
        begin = int(np.flatnonzero(completed.nodes == old.nodes[0, 0])[0])
        nodes = np.roll(completed.nodes, -begin)[: old.nodes.size].reshape(old.nodes.shape)
        if old.via_depot is None or completed.via_depot is None:
            return cls(PartialSolutions(nodes), done)
        flags = np.roll(completed.via_depot, -begin)[: nodes.size].reshape(nodes.shape)
        return cls(old.rebuilt(nodes, flags), done)


def begin_and_complete(
    problem: Problem,
    solution: Solution,
    policy: NativePolicy,
    longest: int,
    seed: int,
    interrupt: Interrupt,
) -> Solution:
    """Let the policy begin partial solutions of a good one, and the search complete them.

    Parameters
    ----------
    problem
        The instance.
    solution
        A good solution.
    policy
        Begins.
    longest
        The paper's l_max.
    seed
        Of all draws.
    interrupt
        Ends it with `StoppedError`.
    """
    pieces, done, rng = _cut(problem, solution, longest, seed)
    old, parts = pieces.parts, policy.rebuild(problem, pieces.parts, interrupt=interrupt)
    opens = np.zeros(len(parts), dtype=np.bool_)
    if parts.via_depot is not None and old.via_depot is not None:
        parts.via_depot[:, 0] = old.via_depot[:, 0]
        opens |= parts.via_depot[:, done + 1 :].any(axis=1)
        _complete_routes(problem, parts, pieces.sense, np.flatnonzero(opens), done, rng, interrupt)
    _complete_orders(problem, parts, np.flatnonzero(~opens), done, rng, interrupt)
    StoppedError.raise_if(interrupt)
    nodes, flags = pieces.put_back(parts)
    if flags is None:
        return Solution(nodes)
    begin = int(flags.argmax())  # a solution begins with a route
    return Solution(np.roll(nodes, -begin), np.roll(flags, -begin))


def _cut(
    problem: Problem, solution: Solution, longest: int, seed: int
) -> tuple[Cut, int, np.random.Generator]:
    """Cut partial solutions, and draw how far the policy goes."""
    rng = np.random.default_rng(seed)
    length = draw_length(problem.num_nodes, longest, rng)
    length = min(max(length, _LEAST_LEFT + 2), problem.num_nodes)
    done = int(rng.integers(0, max(1, length - 1 - _LEAST_LEFT)))
    return cut(problem, solution, length, rng), done, rng


def _complete_orders(
    problem: Problem,
    parts: PartialSolutions,
    rows: NDArray[np.int64],
    done: int,
    rng: np.random.Generator,
    interrupt: Interrupt,
) -> None:
    """Find the order from the node reached last to the far end, where no route ends between."""
    seed = int(rng.integers(2**62))
    if len(rows) == 0:
        return
    rest = parts.nodes[rows, done:]
    order = _native.improve_order(
        problem.geometry,
        rest.ravel(),
        np.arange(0, rest.size, rest.shape[1], dtype=np.int32),
        True,
        _of_nodes(problem, spread(problem, problem.nodes, _ORDER_NEIGHBOURS, interrupt)),
        _KICKS,
        seed,
        1,
        interrupt,
    )
    parts.nodes[rows, done:] = order.reshape(rest.shape)


def _complete_routes(
    problem: Problem,
    parts: PartialSolutions,
    sense: int,
    rows: NDArray[np.int64],
    done: int,
    rng: np.random.Generator,
    interrupt: Interrupt,
) -> None:
    """Find the routes that are left, where there are several: a group of routes for each part.

    Its first route begins at the node reached last, charged with all that was loaded before, and
    its last one ends at the far end, charged with what follows; both nodes stay beside the depot,
    which stands for what lies outside.
    """
    assert problem.demand is not None and parts.via_depot is not None
    assert parts.load_before is not None and parts.load_after is not None
    nodes, flags = parts.nodes[rows, done:], parts.via_depot[rows, done:].copy()  # (r, v)
    demand, held = problem.demand.copy(), np.zeros(problem.dimension, dtype=np.bool_)
    held[nodes[:, [0, -1]]] = True
    demand[nodes[:, 0]] = _loads(problem, parts, rows, done)
    demand[nodes[:, -1]] += parts.load_after[rows]
    flags[:, 0] = True
    mean_step = parts.costs(problem).mean() / parts.nodes.shape[1]
    near = _of_nodes(problem, nearest(problem, problem.nodes, _ROUTE_NEIGHBOURS, interrupt))
    order, first = nodes.ravel(), flags.ravel()
    for temperature in _TEMPERATURES:
        starts = np.flatnonzero(first).astype(np.int32)
        order, begins = _native.search_routes(
            problem.geometry,
            order,
            starts,
            (starts // nodes.shape[1]).astype(np.int32),
            len(rows),
            demand,
            problem.capacity or 0,
            near,
            held,
            _RUINS / len(_TEMPERATURES),
            temperature * mean_step,
            int(rng.integers(2**62)),
            1,
            interrupt,
        )
        first = begins.astype(np.bool_)
    completed = parts.copy()
    assert completed.via_depot is not None
    found = zip(order.reshape(nodes.shape), first.reshape(nodes.shape), strict=True)
    for row, (sequence, begins) in zip(rows, found, strict=True):
        routes = np.split(sequence, np.flatnonzero(begins)[1:])
        ends = parts.nodes[row, done], parts.nodes[row, -1]
        ordered = _from_start_to_end(problem, routes, *ends, sense)
        sizes = np.cumsum([len(route) for route in ordered])[:-1]
        completed.nodes[row, done:] = np.concatenate(ordered)
        completed.via_depot[row, done + 1 :] = False
        completed.via_depot[row, done + sizes] = True
    shorter = completed.costs(problem) < parts.costs(problem)
    parts.nodes[shorter] = completed.nodes[shorter]
    parts.via_depot[shorter] = completed.via_depot[shorter]


def _of_nodes(problem: Problem, near: NDArray[np.int32]) -> NDArray[np.int32]:
    """Turn neighbours counted among the customers into a table of all nodes."""
    table = np.zeros((problem.dimension, near.shape[1]), dtype=np.int32)
    table[problem.nodes] = problem.nodes[near]
    return table


def _loads(
    problem: Problem, parts: PartialSolutions, rows: NDArray[np.int64], done: int
) -> NDArray[np.int64]:
    """Sum up what the route of the node reached last carries up to it, shape (r,)."""
    assert problem.demand is not None
    assert parts.via_depot is not None and parts.load_before is not None
    demand = problem.demand[parts.nodes[rows, : done + 1]]  # (r, done + 1)
    begins = parts.via_depot[rows, : done + 1].copy()
    begins[:, 0] = True
    last = done - begins[:, ::-1].argmax(axis=1)  # where the route of that node begins
    loads: NDArray[np.int64] = np.where(np.arange(done + 1) >= last[:, None], demand, 0).sum(axis=1)
    return loads + np.where(last == 0, parts.load_before[rows], 0)


def _from_start_to_end(
    problem: Problem,
    routes: list[NDArray[np.int32]],
    start: np.int32,
    end: np.int32,
    sense: int,
) -> list[NDArray[np.int32]]:
    """Order the routes so that the first begins at `start` and the last ends at `end`.

    Those between follow the first one around the depot, and run, in the sense of the cut.
    """
    between = []
    for route in routes:
        if start in (route[0], route[-1]):
            first = route if route[0] == start else route[::-1]
        elif end in (route[0], route[-1]):
            last = route if route[-1] == end else route[::-1]
        else:
            area = areas(problem.layout[route] - problem.layout[0], np.array([0]))[0]
            between.append(route if sense * area >= 0 else route[::-1])

    def angle(route: NDArray[np.int32]) -> float:
        x, y = (problem.layout[route] - problem.layout[0]).sum(axis=0)
        return sense * float(np.arctan2(y, x))

    between.sort(key=lambda route: (angle(route) - angle(first)) % (2 * np.pi))
    return [first, *between, last]
