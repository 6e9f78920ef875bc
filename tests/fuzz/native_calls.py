"""Calls of native functions by plain arrays and numbers, so that any of these can be spoiled."""

from typing import Any

import numpy as np

from sil import _native as n


def routed(coords: Any, demand: Any, capacity: Any) -> Any:
    return n.Instance(n.Metric.EUC_2D, coords, demand=demand, capacity=capacity)


def search_routes(
    coords: Any,
    demand: Any,
    capacity: Any,
    nodes: Any,
    starts: Any,
    near: Any,
    group: Any,
    groups: Any,
    held: Any,
    steps: Any,
    heat: Any,
    seed: Any,
    *rest: Any,
) -> None:
    effort = n.Effort(steps, heat, seed)
    n.search_routes(
        routed(coords, demand, capacity), n.Neighbours(near), n.Routes(nodes, starts),
        group, groups, effort, *rest, held,
    )  # fmt: skip


def improve_order(
    coords: Any,
    demand: Any,
    capacity: Any,
    nodes: Any,
    starts: Any,
    near: Any,
    fixed_ends: Any,
    steps: Any,
    seed: Any,
    *rest: Any,
) -> None:
    n.improve_order(
        routed(coords, demand, capacity), n.Neighbours(near), n.Routes(nodes, starts),
        fixed_ends, n.Effort(steps, seed=seed), *rest,
    )  # fmt: skip


def search_tour(
    coords: Any,
    nodes: Any,
    starts: Any,
    near: Any,
    region: Any,
    regions: Any,
    descend: Any,
    steps: Any,
    heat: Any,
    seed: Any,
    *rest: Any,
) -> None:
    n.search_tour(
        n.Instance(n.Metric.EUC_2D, coords), n.Neighbours(near), n.Routes(nodes, starts),
        region, regions, descend, n.Effort(steps, heat, seed), *rest,
    )  # fmt: skip


def insertion(coords: Any, demand: Any, capacity: Any, *rest: Any) -> None:
    n.insertion(routed(coords, demand, capacity), *rest)


def savings(coords: Any, demand: Any, capacity: Any, near: Any, *rest: Any) -> None:
    n.savings(routed(coords, demand, capacity), n.Neighbours(near), *rest)


def greedy_edge(coords: Any, near: Any, *rest: Any) -> None:
    n.greedy_edge(n.Instance(n.Metric.EUC_2D, coords), n.Neighbours(near), *rest)


def neighbours(
    coords: Any, count: Any, width: Any, order: Any, threads: Any, interrupt: Any
) -> None:
    instance = n.Instance(n.Metric.EUC_2D, coords)
    found = instance.nearest(count, threads, interrupt)
    if found is None:
        return
    found.spread(instance, width, threads, interrupt)
    instance.renumbered(order), found.renumbered(order, True, width, threads, interrupt)


def likely_edges(
    coords: Any,
    near: Any,
    first: Any,
    second: Any,
    third: Any,
    width: Any,
    threads: Any,
    interrupt: Any,
) -> None:
    instance = n.Instance(n.Metric.EUC_2D, coords)
    candidates = instance.candidates(n.Neighbours(near), threads, interrupt)
    if candidates is None:
        return
    n.edge_features(instance, candidates)
    layers = [first, np.ones(32, np.float32), second, np.ones(32, np.float32)]
    network = n.EdgeNetwork([*layers, third, np.ones(16, np.float32)])
    network.likeliest(instance, candidates, width, 2, 0.0, threads, interrupt)


def exactly(
    coords: Any,
    demand: Any,
    capacity: Any,
    nodes: Any,
    flags: Any,
    before: Any,
    after: Any,
    *rest: Any,
) -> None:
    parts = n.PartialSolutions(nodes, flags, before, after)
    n.reconstruct_exactly(routed(coords, demand, capacity), parts, *rest)


def recombine(
    coords: Any,
    demand: Any,
    capacity: Any,
    run: Any,
    old: Any,
    old_starts: Any,
    new: Any,
    new_starts: Any,
) -> None:
    rings = n.Routes(old, old_starts), n.Routes(new, new_starts)
    n.recombine(routed(coords, demand, capacity), run, *rings)


def observe(
    coords: Any,
    demand: Any,
    capacity: Any,
    nodes: Any,
    flags: Any,
    before: Any,
    after: Any,
    steps: Any,
) -> None:
    parts = n.PartialSolutions(nodes, flags, before, after)
    n.observe(shape(), routed(coords, demand, capacity), parts, steps)


def decode(
    coords: Any,
    demand: Any,
    capacity: Any,
    nodes: Any,
    flags: Any,
    before: Any,
    after: Any,
    *rest: Any,
) -> None:
    parts = n.PartialSolutions(nodes, flags, before, after)
    policy().decode(routed(coords, demand, capacity), parts, *rest)


def policy() -> Any:
    from sil.policy.native import NativePolicy
    from sil.policy.weights import pretrained

    return NativePolicy(*pretrained("CVRP")).engine


def shape() -> Any:
    return n.PolicyShape(16, 1, 2, 32, 2, 7, 4, 2, 8, 1, n.Frame.STEP, 1.0, False)


def make_instance(metric: Any, coords: Any, i: int, j: int) -> None:
    instance = n.Instance(metric, coords, layout=coords)
    len(instance), instance.distance(i, j)


def make_matrix(metric: Any, matrix: Any, i: int, j: int) -> None:
    instance = n.Instance(metric, None, matrix, np.zeros((4, 2)))
    len(instance), instance.distance(i, j), instance.nearest(2, 1, n.Interrupt())


def expire(seconds: Any) -> None:
    interrupt = n.Interrupt()
    interrupt.expire_in(seconds)
    n.Interrupt(interrupt).is_set(), interrupt.fraction
