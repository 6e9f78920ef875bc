"""Partial solutions: runs of consecutive nodes that can be rebuilt independently."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sil import _native
from sil.errors import InputError
from sil.problem import Problem
from sil.validate import whole_numbers


@dataclass(frozen=True)
class PartialSolutions:
    """A batch of m runs of w consecutive nodes each. Their first and last nodes are fixed.

    For CVRP, the flag of a run's first node belongs to the outside and must not change. A run may
    begin and end inside a route. `load_before` and `load_after` reserve capacity for the rest of
    that route, so that runs that share a route can be rebuilt at the same time.

    Parameters
    ----------
    nodes
        Shape (m, w).
    via_depot
        Whether a node is reached through the depot, shape (m, w); None for TSP.
    load_before
        Load reserved in the route of the first node, shape (m,); None for TSP.
    load_after
        Load reserved in the route of the last node, shape (m,); None for TSP.
    travel_before
        If the length of routes is limited: the length from the depot to the first node, and the
        service times before it as lengths (`Problem.travelled`), shape (m, 2). None means 0.
    travel_after
        The same from the last node back to the depot.

    Raises
    ------
    InputError
        If an array has a wrong type or shape. Whole numbers of other sizes are converted.
    """

    nodes: NDArray[np.int32]
    via_depot: NDArray[np.bool_] | None = None
    load_before: NDArray[np.int64] | None = None
    load_after: NDArray[np.int64] | None = None
    travel_before: NDArray[np.float64] | None = None
    travel_after: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        # Native code takes arrays of exactly these types. Those that have them are not copied.
        nodes = whole_numbers(self.nodes, "nodes")
        if nodes.ndim != 2 or nodes.shape[1] == 0:
            raise InputError(f"nodes must have shape (runs, nodes per run), not {nodes.shape}")
        if nodes.size and not (nodes.min() >= 0 and nodes.max() < 2**31):
            raise InputError("a node number is out of range")
        object.__setattr__(self, "nodes", np.ascontiguousarray(nodes, np.int32))
        given = [value is not None for value in (self.via_depot, self.load_before, self.load_after)]
        if any(given) != all(given):
            raise InputError("via_depot, load_before and load_after go together; a TSP has none")
        if any(given):
            self._convert("via_depot", "b", np.bool_, nodes.shape)
            self._convert("load_before", "iu", np.int64, nodes.shape[:1])
            self._convert("load_after", "iu", np.int64, nodes.shape[:1])
        for name in ("travel_before", "travel_after"):
            if getattr(self, name) is not None:
                self._convert(name, "iuf", np.float64, (len(nodes), 2))

    def _convert(self, name: str, kinds: str, kind: type, shape: tuple[int, ...]) -> None:
        array = whole_numbers(getattr(self, name), name, kinds)
        if array.shape != shape:
            raise InputError(f"{name} must have shape {shape}, not {array.shape}")
        object.__setattr__(self, name, np.ascontiguousarray(array, kind))

    def __len__(self) -> int:
        return len(self.nodes)

    def costs(self, problem: Problem) -> NDArray[np.float64]:
        """Length of each run including its trips to the depot, shape (m,)."""
        a, b = self.nodes[:, :-1], self.nodes[:, 1:]  # (m, w - 1)
        steps: NDArray[np.float64] = problem.distance(a, b)
        if self.via_depot is not None:
            legs = problem.distance(a, 0) + problem.distance(0, b)
            steps = np.where(self.via_depot[:, 1:], legs, steps)
        lengths: NDArray[np.float64] = steps.sum(axis=1)
        return lengths

    def fit(self, problem: Problem) -> NDArray[np.bool_]:
        """Whether all routes of a run keep to the capacity, shape (m,).

        Their lengths are another matter: several runs may share a route, so that only the whole
        solution tells. See ``_native/segments/recombine.h``.
        """
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
            None if self.travel_before is None else self.travel_before[rows],
            None if self.travel_after is None else self.travel_after[rows],
        )

    def native(self) -> _native.PartialSolutions:
        """Return the same runs for native code, which writes into `nodes` and `via_depot`."""
        return _native.PartialSolutions(
            self.nodes,
            self.via_depot,
            self.load_before,
            self.load_after,
            self.travel_before,
            self.travel_after,
        )

    def copy(self) -> "PartialSolutions":
        """Return the same runs with their own copy of nodes and flags, to write into."""
        return self.rebuilt(
            self.nodes.copy(), None if self.via_depot is None else self.via_depot.copy()
        )
