"""Native code must be safe for any array that Python can pass."""

import numpy as np
import pytest

from sil import _native
from sil._native import Geometry, Interrupt, Metric
from tests.misuse import (
    BAD_CAPACITY,
    BAD_COORDS,
    BAD_DEMAND,
    BAD_EFFORT,
    BAD_NEAR,
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
    bad_runs,
    changed,
    geometry,
    ints,
    misaligned,
    run_apart,
    runs,
    varied,
)
from tests.policy.test_native_misuse import cases as policy_cases


def cases() -> Cases:
    """By the name of each function, how to call it, and bad calls."""
    tour = {
        "geometry": geometry(),
        "tour": NODES,
        "region": np.zeros(N, dtype=np.int32),
        "regions": 1,
        "neighbours": NEAR,
        "descend": True,
        "kicks": 1.0,
        "temperature": 0.0,
        "seed": 0,
        "threads": 1,
        "interrupt": Interrupt(),
    }
    routes = {
        "geometry": geometry(),
        "nodes": CUSTOMERS,
        "starts": ints(0, 4),
        "group": ints(0, 1),
        "groups": 2,
        "demand": DEMAND,
        "capacity": 20,
        "neighbours": NEAR,
        "held": None,
        "iterations": 5.0,
        "temperature": 0.0,
        "seed": 0,
        "threads": 1,
        "interrupt": Interrupt(),
    }
    order = {
        "geometry": geometry(),
        "nodes": CUSTOMERS,
        "starts": ints(0, 5),
        "fixed_ends": False,
        "neighbours": NEAR,
        "kicks": 1.0,
        "seed": 0,
        "threads": 1,
        "interrupt": Interrupt(),
    }
    insertion = {
        "geometry": geometry(),
        "order": CUSTOMERS,
        "demand": DEMAND,
        "capacity": 5,
        "num_seeds": 1,
        "interrupt": Interrupt(),
    }
    ring = {
        "geometry": geometry(),
        "run": np.zeros(N - 1, dtype=np.int32),
        "nodes": CUSTOMERS,
        "via_depot": np.arange(N - 1) % 4 == 0,
        "rebuilt_nodes": CUSTOMERS[::-1].copy(),
        "rebuilt_via_depot": np.arange(N - 1) % 4 == 0,
        "demand": DEMAND,
        "capacity": 5,
    }
    nearest = {"points": COORDS, "count": 3, "threads": 1, "interrupt": Interrupt()}
    spread = {"points": COORDS, "near": NEAR, "count": 3, "threads": 1, "interrupt": Interrupt()}
    exact = {"geometry": geometry(), **runs(), "threads": 1, "interrupt": Interrupt()}
    fragments = {"demand": np.zeros(N, dtype=np.int64), "capacity": 9}
    joined = {
        "geometry": geometry(),
        "nodes": NODES,
        "at": NODES,
        "neighbours": NEAR,
        "depot": None,
        "interrupt": Interrupt(),
    }
    twice = changed(CUSTOMERS, 2)
    with_depot = changed(CUSTOMERS, 0)
    return {
        "Geometry": (
            Geometry,
            [
                *varied({"metric": Metric.EUCLIDEAN}, {"coords": [*BAD_COORDS, COORDS[:0], None]}),
                *varied(
                    {"metric": Metric.EXPLICIT},
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
                {"metric": 99, "coords": COORDS},
            ],
        ),
        "Geometry.distance": (
            geometry().distance,
            [{"i": 0, "j": N}, {"i": -1, "j": 0}, {"i": 2**31, "j": 0}, {"i": 0.5, "j": 0}],
        ),
        "Interrupt": (Interrupt, [{"parent": None}, {"parent": 3}]),
        "Interrupt.expire_in": (Interrupt().expire_in, [{"seconds": np.nan}, {"seconds": "1"}]),
        "nearest": (
            _native.nearest,
            varied(
                nearest,
                {
                    "points": [*BAD_COORDS, np.zeros((N, 4)), COORDS[:0]],
                    "count": [-1, N, 2**63, 0.5],
                    "threads": BAD_THREADS,
                    "interrupt": [None],
                },
            ),
        ),
        "spread": (
            _native.spread,
            varied(
                spread,
                {
                    "points": [COORDS[:-1], COORDS[:, :1], misaligned(COORDS)],
                    "near": BAD_NEAR,
                    "count": [-1, 6],
                    "threads": BAD_THREADS,
                },
            ),
        ),
        "hilbert_keys": (_native.hilbert_keys, varied({}, {"coords": BAD_COORDS})),
        "insertion": (
            _native.insertion,
            varied(
                insertion,
                {
                    "order": [*bad(CUSTOMERS, N - 1), twice, with_depot],
                    "demand": BAD_DEMAND,
                    "capacity": BAD_CAPACITY,
                    "num_seeds": [-1, 0.5, 2**64],
                },
            ),
        ),
        "search_tour": (
            _native.search_tour,
            varied(
                tour,
                {
                    "tour": [*bad(NODES, N - 1), NODES[1:], changed(NODES, 1)],
                    "region": [*bad(tour["region"], 0), tour["region"][1:]],
                    "regions": [0, -1, 2**40],
                    "neighbours": BAD_NEAR,
                    "kicks": BAD_EFFORT,
                    "temperature": [*BAD_EFFORT, np.inf],
                    "seed": BAD_SEED,
                    "threads": BAD_THREADS,
                },
            ),
        ),
        "search_routes": (
            _native.search_routes,
            varied(
                routes,
                {
                    "nodes": [*bad(CUSTOMERS, N - 1), twice, with_depot, ints()],
                    "starts": [each for each in BAD_STARTS if len(each) != 1],
                    "group": [ints(0), ints(0, 2), ints(-1, 0)],
                    "groups": [0, 1, -1, 2**40],
                    "demand": BAD_DEMAND,
                    "capacity": BAD_CAPACITY,
                    "neighbours": BAD_NEAR,
                    "held": [np.zeros(N - 1, dtype=bool)],
                    "iterations": BAD_EFFORT,
                    "temperature": [*BAD_EFFORT, np.inf],
                    "seed": BAD_SEED,
                    "threads": BAD_THREADS,
                },
            ),
        ),
        "improve_order": (
            _native.improve_order,
            varied(
                order,
                {
                    "nodes": [*bad(CUSTOMERS, N - 1), twice, with_depot, ints()],
                    "starts": BAD_STARTS,
                    "neighbours": BAD_NEAR,
                    "kicks": BAD_EFFORT,
                    "seed": BAD_SEED,
                    "threads": BAD_THREADS,
                },
            ),
        ),
        "Fragments": (
            _native.Fragments,
            varied(
                fragments,
                {
                    "demand": [each for each in BAD_DEMAND if len(each) == N],
                    "capacity": BAD_CAPACITY,
                },
            ),
        ),
        "Fragments.join": (
            _native.Fragments(**fragments).join,
            varied(
                joined,
                {
                    "nodes": [*bad(NODES, N - 1), NODES[1:]],
                    "at": [*bad(NODES, N - 1), NODES[1:]],
                    "neighbours": BAD_NEAR,
                    "depot": [-1, N, 2**40],
                },
            ),
        ),
        "reconstruct_exactly": (
            _native.reconstruct_exactly,
            [
                *({**exact, **each} for each in bad_runs()),
                {**exact, "nodes": np.zeros((1, 11), dtype=np.int32), "demand": None},
                *varied(exact, {"threads": BAD_THREADS}),
            ],
        ),
        "recombine": (
            _native.recombine,
            [
                *varied(
                    ring,
                    {
                        "run": [ring["run"][1:], misaligned(ring["run"])],
                        "nodes": [*bad(CUSTOMERS, N - 1), twice, with_depot, CUSTOMERS[1:]],
                        "via_depot": [None, np.zeros(N, dtype=bool)],
                        "rebuilt_nodes": [*bad(CUSTOMERS, N - 1), twice, with_depot, CUSTOMERS[1:]],
                        "rebuilt_via_depot": [None, np.zeros(N, dtype=bool)],
                        "demand": BAD_DEMAND,
                        "capacity": BAD_CAPACITY,
                    },
                ),
                {
                    **ring,
                    "run": ints(0, 0),
                    "nodes": ints(1, 2),
                    "rebuilt_nodes": ints(2, 3),
                    "demand": None,
                },
                {**ring, "run": ints(), "nodes": ints(), "rebuilt_nodes": ints(), "demand": None},
            ],
        ),
    }


@pytest.mark.parametrize("name", list(cases()))
def test_bad_calls_are_refused(name):
    run_apart(__name__, name)


def test_all_functions_and_classes_are_attacked():
    exported = {name for name in dir(_native) if not name.startswith("_")}
    harmless = {"Metric", "Frame", "MAX_EXACT_LENGTH", "instruction_sets"}
    attacked = {name.split(".")[0] for name in [*cases(), *policy_cases()]}
    assert attacked == exported - harmless
