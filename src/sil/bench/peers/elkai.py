"""LKH through its Python package elkai."""

from sil.bench.method import Limits, missing_package
from sil.bench.peers.scaled import whole_distances
from sil.problem import Problem
from sil.solution import Solution


class Elkai:
    """Lin-Kernighan-Helsgaun, TSP only; it knows no time limit and is killed at ours."""

    name, timed = "elkai", True

    def missing(self, problem: Problem) -> str | None:
        """Tell whether the package is, or whether the problem is another one."""
        if problem.kind != "TSP":
            return "it solves TSP only"
        return missing_package("elkai")

    def solve(self, problem: Problem, limits: Limits) -> Solution:
        """Run it once."""
        import elkai

        del limits
        tour = elkai.DistanceMatrix(whole_distances(problem).tolist()).solve_tsp(runs=1)
        return Solution(tour[:-1])
