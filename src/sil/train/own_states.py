"""States that the policy reaches by its own choices, with labels found by native search.

Good solutions never show the states that mistakes of the policy lead to. Here the policy rebuilds
partial solutions up to some node, and the search completes them. So these states have labels too
(dataset aggregation, Ross and others, 2011).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sil import _native
from sil._native import Interrupt
from sil.errors import StoppedError
from sil.neighbours import nearest_to_visit, spread
from sil.partial import PartialSolutions
from sil.policy.engine import PolicyEngine
from sil.problem import Problem
from sil.reconstruct.cut import Cut, areas, cut, draw_length
from sil.solution import Solution

_LEAST_LEFT = 5  # inner nodes to complete
_ORDER_NEIGHBOURS, _ROUTE_NEIGHBOURS = 8, 40
_KICKS = 4.0  # per node, for orders
_RUINS = 100.0  # per node, for routes
_TEMPERATURES = (0.3, 0.1, 0.03)  # for routes, in mean edge lengths of the solution


@dataclass(frozen=True)
class OwnStates:
    """Partial solutions whose first nodes the policy has chosen.

    Parameters
    ----------
    parts
        The partial solutions, completed by the search.
    done
        How many inner nodes of each the policy has chosen.
    """

    parts: PartialSolutions
    done: int

    @classmethod
    def of(
        cls, problem: Problem, solution: Solution, completed: Solution, longest: int, seed: int
    ) -> "OwnStates":
        """Cut up what `begin_and_complete` made of a solution with the same seed."""
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
    policy: PolicyEngine,
    longest: int,
    seed: int,
    interrupt: Interrupt,
) -> Solution:
    """Let the policy begin partial solutions of a good solution, and the search complete them.

    Parameters
    ----------
    problem
        The instance.
    solution
        A good solution.
    policy
        Chooses the first nodes.
    longest
        The paper's l_max.
    seed
        Equal seeds give equal results.
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
    begin = int(flags.argmax())  # a solution must begin where a route begins
    return Solution(np.roll(nodes, -begin), np.roll(flags, -begin))


def _cut(
    problem: Problem, solution: Solution, longest: int, seed: int
) -> tuple[Cut, int, np.random.Generator]:
    """Cut partial solutions, and draw how many nodes the policy chooses."""
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
    """Find the order from the last chosen node to the far end, where no route ends in between."""
    seed = int(rng.integers(2**62))
    if len(rows) == 0:
        return
    rest = parts.nodes[rows, done:]
    starts = np.arange(0, rest.size, rest.shape[1], dtype=np.int32)
    found = _native.improve_order(
        problem.instance,
        spread(problem, _ORDER_NEIGHBOURS, interrupt),
        _native.Routes(rest.ravel(), starts),
        True,
        _native.Effort(_KICKS, seed=seed),
        1,
        interrupt,
    )
    parts.nodes[rows, done:] = found.nodes.reshape(rest.shape)


def _complete_routes(
    problem: Problem,
    parts: PartialSolutions,
    sense: int,
    rows: NDArray[np.int64],
    done: int,
    rng: np.random.Generator,
    interrupt: Interrupt,
) -> None:
    """Find the remaining routes, where there are several; each part is a group of routes.

    The first route of a group begins at the last chosen node, whose demand is replaced by the load
    so far. The last route ends at the far end, whose demand includes the load beyond it. The search
    keeps both nodes next to the depot, which represents everything outside the part.
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
    near = nearest_to_visit(problem, _ROUTE_NEIGHBOURS, interrupt)
    instance = problem.instance.with_demand(demand)
    searched = _native.Routes(nodes.ravel(), np.flatnonzero(flags).astype(np.int32))
    for temperature in _TEMPERATURES:
        steps, seed = _RUINS / len(_TEMPERATURES), int(rng.integers(2**62))
        searched = _native.search_routes(
            instance,
            near,
            searched,
            searched.starts // nodes.shape[1],
            len(rows),
            _native.Effort(steps, temperature * mean_step, seed),
            1,
            interrupt,
            held,
        )
    order = searched.nodes
    first = np.zeros(len(order), dtype=np.bool_)
    first[searched.starts] = True
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


def _loads(
    problem: Problem, parts: PartialSolutions, rows: NDArray[np.int64], done: int
) -> NDArray[np.int64]:
    """Sum the load of the last chosen node's route up to that node, shape (r,)."""
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

    The others follow the first one around the depot, in the order and direction of the cut.
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
