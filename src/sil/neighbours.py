"""Near nodes of each node under any metric, without an n×n matrix.

The lists are computed once per problem and reused for every request of the same width or less.
"""

import numpy as np
from numpy.typing import NDArray

from sil._native import Interrupt, Neighbours
from sil.errors import StoppedError
from sil.problem import Problem


def nearest(
    problem: Problem, count: int, interrupt: Interrupt | None = None, threads: int = 1
) -> Neighbours:
    """Find the `count` nearest other nodes of each node, including the depot, nearest first.

    There are fewer if the problem is that small. Raises `StoppedError` when interrupted.
    """
    found = problem.instance.nearest(
        min(count, problem.dimension - 1), threads, interrupt or Interrupt()
    )
    if found is None:
        raise StoppedError
    return found


def nearest_to_visit(
    problem: Problem,
    count: int,
    interrupt: Interrupt | None = None,
    threads: int = 1,
    order: NDArray[np.int32] | None = None,
) -> Neighbours:
    """Find the nearest other nodes without the depot; see `nearest`.

    With an `order` of all nodes, the result is renumbered: node i is the previous node order[i].
    """
    near = nearest(problem, count + (problem.kind == "CVRP"), interrupt, threads)
    return renumbered(
        problem, near, min(count, max(0, problem.num_nodes - 1)), interrupt, threads, order
    )


def renumbered(
    problem: Problem,
    near: Neighbours,
    width: int,
    interrupt: Interrupt | None = None,
    threads: int = 1,
    order: NDArray[np.int32] | None = None,
) -> Neighbours:
    """Keep the first `width` entries of each list, without the depot, and renumber the nodes."""
    if order is None and problem.kind == "TSP":
        return near.narrowed(width)
    if order is None:
        order = np.arange(problem.dimension, dtype=np.int32)
    found = near.renumbered(order, problem.kind == "CVRP", width, threads, interrupt or Interrupt())
    if found is None:
        raise StoppedError
    return found


def spread(
    problem: Problem, count: int, interrupt: Interrupt | None = None, threads: int = 1
) -> Neighbours:
    """Find near nodes in all directions, without the depot.

    Where nodes cluster, the nearest ones lie on one side. So this takes two from each quadrant, as
    far as the 3 * `count` nearest nodes have them, then the nearest of the rest. A matrix has no
    directions: there it takes the nearest nodes.
    """
    if problem.matrix is not None:
        return nearest_to_visit(problem, count, interrupt, threads)
    near = nearest_to_visit(problem, 3 * count, interrupt, threads)
    found = near.spread(problem.instance, count, threads, interrupt or Interrupt())
    if found is None:
        raise StoppedError
    return found
