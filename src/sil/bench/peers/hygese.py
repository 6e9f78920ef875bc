"""HGS-CVRP through the Python package hygese."""

from sil.bench.peers.package import PackagePeer
from sil.bench.peers.scaled import whole_distances
from sil.bench.solver import Countdown, Limits
from sil.problem import Problem
from sil.solution import Solution

_LARGEST_DISTANCE = 10_000.0  # it refuses very small and very large ones


class Hygese(PackagePeer):
    """Hybrid genetic search with SWAP*, CVRP only."""

    name, package, kinds = "HGS", "hygese", ("CVRP",)

    def solve(self, problem: Problem, limits: Limits) -> Solution:
        """Run it until the time limit."""
        import hygese

        assert problem.demand is not None and problem.capacity is not None
        time = Countdown(limits.seconds)
        distances = whole_distances(problem).astype(float)
        data = {
            "distance_matrix": distances * (_LARGEST_DISTANCE / distances.max()),
            "x_coordinates": problem.layout[:, 0] - problem.layout[:, 0].min(),
            "y_coordinates": problem.layout[:, 1] - problem.layout[:, 1].min(),
            "demands": problem.demand.astype(float),
            "vehicle_capacity": problem.capacity,
        }
        parameters = hygese.AlgorithmParameters(
            timeLimit=time.left, seed=limits.seed, nbIter=2**31 - 1
        )
        result = hygese.Solver(parameters=parameters, verbose=False).solve_cvrp(data)
        return Solution.from_routes(result.routes)
