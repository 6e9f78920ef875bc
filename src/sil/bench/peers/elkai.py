"""LKH through the Python package elkai."""

from sil.bench.peers.package import PackagePeer
from sil.bench.peers.scaled import scaled_coords, whole_distances
from sil.bench.solver import Limits
from sil.metric import Metric
from sil.problem import Problem
from sil.solution import Solution


class Elkai(PackagePeer):
    """Lin-Kernighan-Helsgaun, TSP only. It has no time limit of its own and is killed at ours."""

    name, package, kinds = "elkai", "elkai", ("TSP",)

    def solve(self, problem: Problem, limits: Limits) -> Solution:
        """Run it once."""
        import elkai

        del limits
        if problem.metric in (Metric.EUCLIDEAN, Metric.EUC_2D):
            euclidean = problem.metric is Metric.EUCLIDEAN
            coords = (scaled_coords(problem) if euclidean else problem.layout).tolist()
            named = {str(node): tuple(place) for node, place in enumerate(coords)}
            return Solution(
                [int(name) for name in elkai.Coordinates2D(named).solve_tsp(runs=1)[:-1]]
            )
        tour = elkai.DistanceMatrix(whole_distances(problem).tolist()).solve_tsp(runs=1)
        return Solution(tour[:-1])
