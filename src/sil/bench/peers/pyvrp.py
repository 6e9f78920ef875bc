"""PyVRP from PyPI."""

import numpy as np

from sil.bench.peers.package import PackagePeer
from sil.bench.peers.scaled import scaled_coords, whole_distances
from sil.bench.solver import Countdown, Limits
from sil.problem import Problem
from sil.solution import Solution


class PyVrp(PackagePeer):
    """Solves CVRP, and TSP as one route of unlimited capacity from its first node."""

    name, package = "PyVRP", "pyvrp"

    def solve(self, problem: Problem, limits: Limits) -> Solution:
        """Run it until the time limit."""
        import pyvrp

        time = Countdown(limits.seconds)
        coords, matrix = scaled_coords(problem), whole_distances(problem)
        demand = problem.demand
        clients = [
            pyvrp.Client(node, delivery=[] if demand is None else [int(demand[node])])
            for node in range(1, problem.dimension)
        ]
        routes = 1
        capacity: list[int] = []
        if demand is not None and problem.capacity is not None:
            # As many vehicles as could ever be used.
            routes, capacity = problem.num_nodes, [problem.capacity]
        data = pyvrp.ProblemData(
            [pyvrp.Location(x, y) for x, y in coords.tolist()],
            clients,
            [pyvrp.Depot(0)],
            [pyvrp.VehicleType(routes, capacity=capacity)],
            [matrix],
            [np.zeros_like(matrix)],
        )
        # Its own clock would start only after its first local search.
        result = pyvrp.solve(data, lambda _: time.is_over, seed=limits.seed, display=False)
        visited = [
            [activity.idx + 1 for activity in route if activity.is_client()]
            for route in result.best.routes()
        ]
        if demand is None:
            return Solution([0, *visited[0]])
        return Solution.from_routes(visited)
