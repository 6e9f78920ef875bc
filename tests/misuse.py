"""Arrays that no native function may accept, and processes that try them."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from sil._native import Instance, Metric, Neighbours, PartialSolutions, Routes

N = 12
RNG = np.random.default_rng(0)
COORDS = RNG.random((N, 2))
MATRIX = np.abs(COORDS[:, None] - COORDS[None]).sum(axis=2)
NODES, CUSTOMERS = np.arange(N, dtype=np.int32), np.arange(1, N, dtype=np.int32)
NEAR = np.array([[j for j in range(N) if j != i][:5] for i in range(N)], dtype=np.int32)
DEMAND = np.r_[0, np.ones(N - 1, dtype=np.int64)]
REFUSED = (ValueError, TypeError, IndexError)
Cases = dict[str, tuple[Callable[..., object], list[dict[str, Any]]]]


def instance(routed: bool = True, capacity: int = 10) -> Instance:
    if routed:
        return Instance(Metric.EUCLIDEAN, COORDS, demand=DEMAND, capacity=capacity)
    return Instance(Metric.EUCLIDEAN, COORDS)


def near() -> Neighbours:
    return Neighbours(NEAR)


def few() -> Neighbours:
    """Neighbours of too few nodes."""
    return Neighbours(NEAR[:5, :4] % 5)


def routes(nodes: np.ndarray = CUSTOMERS, *starts: int) -> Routes:
    return Routes(nodes, ints(*(starts or (0, 4))))


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int32)


def changed(array: np.ndarray, value: float, place=0) -> np.ndarray:
    copy = array.copy()
    copy.flat[place] = value
    return copy


def misaligned(array: np.ndarray) -> np.ndarray:
    memory = np.zeros(array.nbytes + 1, dtype=np.uint8)
    copy = memory[1:].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def read_only(array: np.ndarray) -> np.ndarray:
    copy = array.copy()
    copy.setflags(write=False)
    return copy


def bad(array: np.ndarray, largest: int) -> list[np.ndarray]:
    """Indices below 0, too large, far too large, and of a wrong shape."""
    return [
        changed(array, -1),
        changed(array, largest + 1),
        changed(array, 2**31 - 1),
        changed(array, -(2**31)),
        array[None],
        misaligned(array),
    ]


BAD_COORDS = [
    changed(COORDS, np.nan),
    changed(COORDS, np.inf),
    changed(COORDS, -np.inf),
    changed(COORDS, 1e300),
    COORDS[:, :1],
    COORDS[0],
    misaligned(COORDS),
]
BAD_DEMAND = [
    changed(DEMAND, -1, 3),
    changed(DEMAND, 2**62, 3),
    DEMAND[:-1],
    np.full(N, 2**63 - 1),
    misaligned(DEMAND),
]
BAD_CAPACITY = [-1, 2**63 - 1, 2**70, 1.5]
BAD_THREADS = [0, -1, 1025, 2**31, 1.5]
BAD_EFFORT = [np.nan, -1.0, -np.inf]
BAD_SEED = [-1, 2**64, 0.5]
BAD_LISTS = [
    NEAR[0],
    changed(NEAR, -1),
    changed(NEAR, N),
    changed(NEAR, 2**31 - 1, -1),
    misaligned(NEAR),
]
BAD_STARTS = [ints(0, 0), ints(0, 4, 3), ints(0, N + 5), ints(-1, 3)]
# Nodes twice, the depot, nodes that are not there, and no route at the first node.
BAD_ROUTES = [
    *(routes(changed(CUSTOMERS, node)) for node in (2, 0, -1, N, 2**31 - 1)),
    routes(CUSTOMERS, 1, 4),
    Routes(CUSTOMERS, ints()),
]


def runs(**other):
    """Three partial solutions of a CVRP, as `PartialSolutions` takes them."""
    good = {
        "nodes": np.arange(12, dtype=np.int32).reshape(3, 4),
        "via_depot": np.zeros((3, 4), dtype=bool),
        "load_before": np.zeros(3, dtype=np.int64),
        "load_after": np.zeros(3, dtype=np.int64),
    }
    return {**good, **other}


def parts(**other) -> PartialSolutions:
    return PartialSolutions(**runs(**other))


def bad_parts() -> list[PartialSolutions]:
    """Partial solutions that are none of the problem: of other nodes, or of a TSP."""
    nodes = runs()["nodes"]
    return [
        *(parts(nodes=changed(nodes, node)) for node in (-1, N, 2**31 - 1)),
        PartialSolutions(nodes),
    ]


def bad_runs() -> list[dict]:
    nodes, flags = runs()["nodes"], runs()["via_depot"]
    memory = np.zeros(12, dtype=np.int64)
    return [
        {"nodes": nodes[None]},
        {"nodes": misaligned(nodes)},
        {"nodes": nodes.astype(np.int64)},
        {"nodes": np.repeat(nodes, 2, axis=1)[:, ::2]},
        {"nodes": read_only(nodes)},
        {"nodes": nodes[:, :0]},
        {"via_depot": None},
        {"via_depot": flags[:, :3]},
        {"via_depot": flags[:2]},
        {"via_depot": read_only(flags)},
        {"via_depot": nodes.view(bool)[:, :4]},
        {"nodes": memory.view(np.int32)[:12].reshape(3, 4), "load_before": memory[:3]},
        *(
            {name: value}
            for name in ("load_before", "load_after")
            for value in (None, np.zeros(2, dtype=np.int64), np.full(3, -1), np.full(3, 2**62))
        ),
    ]


def varied(good: dict, variations: dict[str, list]) -> list[dict]:
    """One bad argument at a time."""
    return [{**good, name: value} for name, values in variations.items() for value in values]


def require_refusal(cases: Cases, name: str) -> None:
    """Make all bad calls of one function; each must be refused."""
    call, bad_calls = cases[name]
    for number, arguments in enumerate(bad_calls):
        try:
            call(**arguments)
        except REFUSED:
            continue
        raise AssertionError(f"bad call {number} of {name} was accepted: {arguments}")


def run_apart(module: str, name: str) -> None:
    """Do so in a process of its own, for a call that is not refused may crash it."""
    command = (
        f"from tests.misuse import require_refusal; from {module} import cases; "
        f"require_refusal(cases(), {name!r})"
    )
    done = subprocess.run(
        [sys.executable, "-c", command], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
