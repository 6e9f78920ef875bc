"""Lists of edges for the search of tours: learned ones against lists without learning.

    python -m benchmarks.edges [--nodes N] [--seconds S] [--instances M] [--seeds K] [--only KIND]

Solves random instances at equal time with making the lists included: uniform ones, ones of `sil
generate` with clusters, and ones with the dense clusters of the DIMACS challenge. Prints the mean
difference in cost to the first kind of lists, with its 95 % interval.
"""

from collections.abc import Callable
from itertools import product

import numpy as np
from scipy.stats import t as student

from benchmarks.arguments import parser
from sil import (
    Distribution,
    MaxRuntime,
    Problem,
    SearchReconstructor,
    generate_tsp,
    solve,
)
from sil._native import Instance, Interrupt, Neighbours
from sil.errors import StoppedError
from sil.policy.edges import EdgeLists, all_around, likely_edges, shipped_network


def by_quadrants(width: int) -> EdgeLists:
    """Two of each quadrant, as far as the 3 * `width` nearest nodes have them, then the nearest."""

    def lists(
        instance: Instance, near: Neighbours, threads: int, interrupt: Interrupt
    ) -> Neighbours:
        del near
        nearest = instance.nearest(min(3 * width, len(instance) - 1), threads, interrupt)
        found = nearest and nearest.spread(instance, width, threads, interrupt)
        if found is None:
            raise StoppedError
        return found

    return lists


def nearest(width: int) -> EdgeLists:
    def lists(
        instance: Instance, near: Neighbours, threads: int, interrupt: Interrupt
    ) -> Neighbours:
        del instance, threads, interrupt
        return near.narrowed(min(width, near.width))

    return lists


KINDS: dict[str, EdgeLists] = {
    "quadrants-8": by_quadrants(8),
    "nearest-8": nearest(8),
    "delaunay-8": all_around(8),
    "delaunay-12": all_around(12),
    "learned-5": likely_edges(shipped_network(), 5, 5),
    "learned-6": likely_edges(shipped_network(), 6, 6),
    "learned-7": likely_edges(shipped_network(), 7, 7),
    "learned-8": likely_edges(shipped_network(), 8, 8),
    "learned-10": likely_edges(shipped_network(), 10, 10),
    "learned": likely_edges(shipped_network()),  # as the search uses them
}


def with_dense_clusters(nodes: int, seed: int) -> Problem:
    """Draw clusters of about 100 nodes each, as wide as the mean distance of even nodes."""
    rng = np.random.default_rng(seed)
    centres = rng.random((max(1, nodes // 100), 2))
    offsets = rng.normal(0, 1 / np.sqrt(nodes), (nodes, 2))
    return Problem(centres[rng.integers(len(centres), size=nodes)] + offsets)


MAPS: dict[str, Callable[[int, int], Problem]] = {
    "uniform": generate_tsp,
    "clustered": lambda nodes, seed: generate_tsp(nodes, seed, Distribution.CLUSTERED),
    "dense": with_dense_clusters,
}


def measure(
    nodes: int, seconds: float, instances: int, seeds: int, kinds: list[str], maps: list[str]
) -> None:
    for name in maps:
        costs = np.array(
            [
                [cost(MAPS[name](nodes, number), kind, seconds, seed) for kind in kinds]
                for number, seed in product(range(instances), range(seeds))
            ]
        )  # (instances * seeds, kinds)
        differences = 100 * (costs / costs[:, :1] - 1)
        runs = len(differences)
        for kind, each in zip(kinds, differences.T, strict=True):
            margin = np.nan
            if runs > 1:
                margin = student.ppf(0.975, runs - 1) * each.std(ddof=1) / np.sqrt(runs)
            print(
                f"{nodes:>9,} {seconds:5g} s {name:<9} {kind:<11} "
                f"{each.mean():+7.3f} % ± {margin:.3f} ({runs} runs)",
                flush=True,
            )


def cost(problem: Problem, kind: str, seconds: float, seed: int) -> float:
    search = SearchReconstructor(KINDS[kind])
    result = solve(problem, MaxRuntime(seconds), seed, start="greedy", reconstructors=[search])
    return result.cost()


if __name__ == "__main__":
    options = parser(__doc__)
    options.add_argument("--nodes", type=int, default=10_000, help="nodes per instance")
    options.add_argument("--seconds", type=float, default=10.0, help="time per run")
    options.add_argument("--instances", type=int, default=8, help="instances of each distribution")
    options.add_argument("--seeds", type=int, default=1, help="runs per instance and kind")
    options.add_argument(
        "--only", nargs="+", choices=KINDS, default=[*KINDS], help="kinds of lists"
    )
    options.add_argument(
        "--maps",
        nargs="+",
        choices=MAPS,
        default=[*MAPS],
        help="kinds of maps",
    )
    given = options.parse_args()
    measure(given.nodes, given.seconds, given.instances, given.seeds, given.only, given.maps)
