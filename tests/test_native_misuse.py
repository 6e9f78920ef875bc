"""Native code must be safe for any array that Python can pass."""

import numpy as np
import pytest

from sil import _native
from sil._native import Effort, Instance, Interrupt, Metric, Neighbours, PartialSolutions, Routes
from tests.misuse import (
    BAD_CAPACITY,
    BAD_COORDS,
    BAD_DEMAND,
    BAD_EFFORT,
    BAD_LISTS,
    BAD_ROUTES,
    BAD_SEED,
    BAD_STARTS,
    BAD_THREADS,
    COORDS,
    CUSTOMERS,
    DEMAND,
    MATRIX,
    NEAR,
    NODES,
    Cases,
    N,
    bad,
    bad_parts,
    bad_runs,
    changed,
    few,
    instance,
    ints,
    misaligned,
    near,
    parts,
    routes,
    run_apart,
    runs,
    varied,
)
from tests.policy.test_native_misuse import cases as policy_cases


def cases() -> Cases:
    """By the name of each function, how to call it, and bad calls."""
    tour = {
        "instance": instance(routed=False),
        "neighbours": near(),
        "routes": routes(NODES, 0),
        "region": np.zeros(N, dtype=np.int32),
        "regions": 1,
        "descend": True,
        "effort": Effort(1),
        "threads": 1,
        "interrupt": Interrupt(),
    }
    searched = {
        "instance": instance(),
        "neighbours": near(),
        "routes": routes(),
        "group": ints(0, 1),
        "groups": 2,
        "effort": Effort(5),
        "threads": 1,
        "interrupt": Interrupt(),
        "held": None,
    }
    order = {
        "instance": instance(),
        "neighbours": near(),
        "routes": routes(),
        "fixed_ends": False,
        "effort": Effort(1),
        "threads": 1,
        "interrupt": Interrupt(),
    }
    inserted = {
        "instance": instance(),
        "order": CUSTOMERS,
        "num_seeds": 1,
        "interrupt": Interrupt(),
    }
    joined = {
        "instance": instance(routed=False),
        "neighbours": near(),
        "threads": 1,
        "interrupt": Interrupt(),
    }
    ring = {
        "instance": instance(),
        "run": np.zeros(N - 1, dtype=np.int32),
        "old": routes(CUSTOMERS, 0, 4, 8),
        "rebuilt": routes(CUSTOMERS[::-1].copy(), 0, 4, 8),
    }
    exact = {
        "instance": instance(),
        "parts": parts(),
        "threads": 1,
        "interrupt": Interrupt(),
    }
    nearest = {"count": 3, "threads": 1, "interrupt": Interrupt()}
    spread = {"instance": instance(), "width": 3, "threads": 1, "interrupt": Interrupt()}
    renumbered = {
        "order": NODES,
        "without_depot": True,
        "width": 4,
        "threads": 1,
        "interrupt": Interrupt(),
    }
    twice, with_depot = changed(CUSTOMERS, 2), changed(CUSTOMERS, 0)
    bad_orders = [*bad(NODES, N - 1), NODES[1:], changed(NODES, 1)]
    nothing = Routes(ints(), ints())
    bad_rings = [*BAD_ROUTES[:5], routes(CUSTOMERS[1:])]  # a ring may begin anywhere
    return {
        "Instance": (
            Instance,
            [
                *varied({"metric": Metric.EUCLIDEAN}, {"coords": [*BAD_COORDS, COORDS[:0], None]}),
                *varied(
                    {"metric": Metric.EXPLICIT, "layout": COORDS},
                    {
                        "matrix": [
                            None,
                            MATRIX[1:],
                            MATRIX[:0, :0],
                            changed(MATRIX, np.nan, 1),
                            changed(MATRIX, np.inf, 1),
                            changed(MATRIX, 7.0, 1),
                            -MATRIX,
                            misaligned(MATRIX),
                        ]
                    },
                ),
                *varied(
                    {"metric": Metric.EXPLICIT, "matrix": MATRIX},
                    {"layout": [None, COORDS[:-1], *BAD_COORDS]},
                ),
                *varied(
                    {"metric": Metric.EUCLIDEAN, "coords": COORDS, "demand": DEMAND, "capacity": 5},
                    {"demand": BAD_DEMAND, "capacity": BAD_CAPACITY},
                ),
                {"metric": 99, "coords": COORDS},
            ],
        ),
        "Instance.distance": (
            instance().distance,
            [{"i": 0, "j": N}, {"i": -1, "j": 0}, {"i": 2**31, "j": 0}, {"i": 0.5, "j": 0}],
        ),
        "Instance.cost": (instance().cost, varied({}, {"routes": [*BAD_ROUTES, None]})),
        "Instance.nearest": (
            instance().nearest,
            varied(
                nearest,
                {"count": [-1, N, 2**63, 0.5], "threads": BAD_THREADS, "interrupt": [None]},
            ),
        ),
        "Instance.candidates": (
            instance().candidates,
            varied(
                {"near": near(), "threads": 1, "interrupt": Interrupt()},
                {
                    "near": [few(), Neighbours(np.resize(NEAR, (N, 33))), None],
                    "threads": BAD_THREADS,
                },
            ),
        ),
        "Instance.expect_nearest": (
            instance().expect_nearest,
            varied({}, {"count": [-1, 0.5, 2**64]}),
        ),
        "Instance.renumbered": (
            instance().renumbered,
            varied({}, {"order": [*bad_orders, NODES[::-1].copy()]}),
        ),
        "Instance.with_demand": (instance().with_demand, varied({}, {"demand": BAD_DEMAND})),
        "Instance.with_demand of a tour": (
            instance(routed=False).with_demand,
            [{"demand": DEMAND}],
        ),
        "Neighbours": (Neighbours, varied({}, {"lists": BAD_LISTS})),
        "Neighbours.narrowed": (near().narrowed, varied({}, {"width": [-1, 6, 2**63]})),
        "Neighbours.spread": (
            near().spread,
            varied(spread, {"width": [-1], "threads": BAD_THREADS, "instance": [None]}),
        ),
        "Neighbours.spread of too few": (few().spread, [spread]),
        "Neighbours.renumbered": (
            near().renumbered,
            varied(
                renumbered,
                {"order": bad_orders, "width": [-1, 5, 2**63], "threads": BAD_THREADS},
            ),
        ),
        "Routes": (
            Routes,
            varied(
                {"nodes": CUSTOMERS, "starts": ints(0, 4)},
                {"nodes": [CUSTOMERS[None], misaligned(CUSTOMERS), ints()], "starts": BAD_STARTS},
            ),
        ),
        "Effort": (
            Effort,
            varied(
                {"steps": 1.0, "temperature": 0.0, "seed": 0},
                {"steps": BAD_EFFORT, "temperature": [*BAD_EFFORT, np.inf], "seed": BAD_SEED},
            ),
        ),
        "Candidates": (_native.Candidates, [{}, {"lists": near()}]),
        "PartialSolutions": (PartialSolutions, [runs(**each) for each in bad_runs()]),
        "Interrupt": (Interrupt, [{"parent": None}, {"parent": 3}]),
        "Interrupt.expire_in": (Interrupt().expire_in, [{"seconds": np.nan}, {"seconds": "1"}]),
        "hilbert_keys": (_native.hilbert_keys, varied({}, {"coords": BAD_COORDS})),
        "triangulate": (
            _native.triangulate,
            varied(
                {"coords": COORDS, "threads": 1, "interrupt": Interrupt()},
                {"coords": BAD_COORDS, "threads": BAD_THREADS},
            ),
        ),
        "insertion": (
            _native.insertion,
            [
                *varied(
                    inserted,
                    {
                        "order": [*bad(CUSTOMERS, N - 1), twice, with_depot],
                        "num_seeds": [-1, 0.5, 2**64],
                    },
                ),
                {**inserted, "instance": instance(routed=False), "num_seeds": 2},
            ],
        ),
        "greedy_edge": (
            _native.greedy_edge,
            varied(
                joined,
                {"instance": [instance()], "neighbours": [few()], "threads": BAD_THREADS},
            ),
        ),
        "savings": (
            _native.savings,
            varied(joined, {"neighbours": [few()], "threads": BAD_THREADS}),
        ),
        "search_tour": (
            _native.search_tour,
            varied(
                tour,
                {
                    "instance": [instance()],
                    "neighbours": [few()],
                    "routes": [
                        routes(NODES, 0, 4),
                        routes(NODES[1:], 0),
                        *(routes(each, 0) for each in (changed(NODES, 1), changed(NODES, N))),
                    ],
                    "region": [*bad(tour["region"], 0), tour["region"][1:]],
                    "regions": [0, -1, 2**40],
                    "effort": [None, 1.0],
                    "threads": BAD_THREADS,
                },
            ),
        ),
        "search_routes": (
            _native.search_routes,
            varied(
                searched,
                {
                    "instance": [instance(routed=False)],
                    "neighbours": [few()],
                    "routes": BAD_ROUTES,
                    "group": [ints(0), ints(0, 2), ints(-1, 0)],
                    "groups": [0, 1, -1, 2**40],
                    "held": [np.zeros(N - 1, dtype=bool)],
                    "effort": [None, 1.0],
                    "threads": BAD_THREADS,
                },
            ),
        ),
        "improve_order": (
            _native.improve_order,
            varied(
                order,
                {
                    "instance": [instance(routed=False)],
                    "neighbours": [few()],
                    "routes": BAD_ROUTES,
                    "effort": [None, 1.0],
                    "threads": BAD_THREADS,
                },
            ),
        ),
        "reconstruct_exactly": (
            _native.reconstruct_exactly,
            [
                *varied(exact, {"parts": bad_parts(), "threads": BAD_THREADS}),
                {
                    **exact,
                    "instance": instance(routed=False),
                    "parts": PartialSolutions(np.zeros((1, 11), dtype=np.int32)),
                },
            ],
        ),
        "recombine": (
            _native.recombine,
            [
                *varied(
                    ring,
                    {
                        "run": [ring["run"][1:], misaligned(ring["run"])],
                        "old": bad_rings,
                        "rebuilt": bad_rings,
                    },
                ),
                {
                    "instance": instance(routed=False),
                    "run": ints(0, 0),
                    "old": routes(ints(1, 2), 0),
                    "rebuilt": routes(ints(2, 3), 0),
                },
                {**ring, "run": ints(), "old": nothing, "rebuilt": nothing},
            ],
        ),
    }


@pytest.mark.parametrize("name", list(cases()))
def test_bad_calls_are_refused(name):
    run_apart(__name__, name)


def test_all_functions_and_classes_are_attacked():
    exported = {name for name in dir(_native) if not name.startswith("_")}
    harmless = {"Metric", "Frame", "instruction_sets"}
    harmless |= {"EDGE_CANDIDATES", "EDGE_FEATURES", "MAX_EXACT_LENGTH"}
    attacked = {name.split(".")[0] for name in [*cases(), *policy_cases()]}
    assert attacked == exported - harmless
