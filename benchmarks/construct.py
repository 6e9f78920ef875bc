"""Construction: pruned against exhaustive insertion, and growth with the number of nodes.

python -m benchmarks.construct
"""

from benchmarks.arguments import no_arguments
from benchmarks.timing import ratio, seconds
from sil import Metric, Problem, construct, generate_cvrp, generate_tsp


def measure() -> None:
    small = generate_tsp(5_000)
    nodes = small.nodes
    matrix = small.distance(nodes[:, None], nodes[None, :])
    explicit = Problem(small.coords, metric=Metric.EXPLICIT, matrix=matrix)
    speedup = ratio(lambda: construct(explicit, "insertion"), lambda: construct(small, "insertion"))
    print(f"random insertion, TSP5K: all places / quadtree                {speedup:6.1f}")

    tsp, large_tsp = generate_tsp(10_000), generate_tsp(100_000)
    cvrp, large_cvrp = generate_cvrp(10_000, capacity=2_000), generate_cvrp(100_000)
    for start in ("insertion", "curve", "greedy", "savings"):
        report(start, tsp, large_tsp)
    for start in ("insertion", "curve", "savings", "sweep"):
        report(start, cvrp, large_cvrp)


def report(start: str, small: Problem, large: Problem) -> None:
    construct(small, start)  # warm up: imports and caches
    growth = ratio(lambda: construct(large, start), lambda: construct(small, start))
    print(
        f"{start:<10} {large.kind:<4}: 100K nodes / 10K nodes {growth:6.1f}"
        f"   (100K here: {seconds(lambda: construct(large, start)):.2f} s)"
    )


if __name__ == "__main__":
    no_arguments(__doc__)
    measure()
