"""LKH through its Python package elkai."""

from sil.bench.method import Limits, missing_package
from sil.bench.peers.scaled import scaled_coords, whole_distances
from sil.problem import Metric, Problem
from sil.solution import Solution


class Elkai:
    """Lin-Kernighan-Helsgaun, TSP only; it knows no time limit and is killed at ours."""

    name, timed = "elkai", True

    def missing(self, problem: Problem) -> str | None:
        """Tell whether the package is, or whether the problem is another one."""
        if problem.kind != "TSP":
            return "it solves TSP only"
        return missing_package("elkai")

    def prepare(self) -> None:
        """Import the package."""
        import elkai  # noqa: F401

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
