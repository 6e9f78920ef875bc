"""OR-Tools routing with guided local search."""

from sil.bench.peers.package import PackagePeer
from sil.bench.peers.scaled import whole_distances
from sil.bench.solver import Countdown, Limits, NoSolutionError
from sil.problem import Problem
from sil.solution import Solution


class OrTools(PackagePeer):
    """The metaheuristic that its documentation recommends: guided local search."""

    name, package = "OR-Tools", "ortools"

    def prepare(self) -> None:
        """Import the part that is used."""
        from ortools.constraint_solver import pywrapcp  # noqa: F401

    def solve(self, problem: Problem, limits: Limits) -> Solution:
        """Run it until the time limit."""
        from ortools.constraint_solver import pywrapcp, routing_enums_pb2

        time = Countdown(limits.seconds)
        matrix = whole_distances(problem)
        demand, capacity = problem.demand, problem.capacity
        vehicles = 1 if demand is None else int(problem.fewest_routes * 1.2) + 1
        manager = pywrapcp.RoutingIndexManager(problem.dimension, vehicles, 0)
        routing = pywrapcp.RoutingModel(manager)
        transit = routing.RegisterTransitMatrix(matrix.tolist())
        routing.SetArcCostEvaluatorOfAllVehicles(transit)
        if demand is not None and capacity is not None:
            loads = routing.RegisterUnaryTransitVector(demand.tolist())
            routing.AddDimension(loads, 0, int(capacity), True, "load")
        parameters = pywrapcp.DefaultRoutingSearchParameters()
        parameters.first_solution_strategy = (
            routing_enums_pb2.FirstSolutionStrategy.SAVINGS
            if demand is not None
            else routing_enums_pb2.FirstSolutionStrategy.PATH_CHEAPEST_ARC
        )
        parameters.local_search_metaheuristic = (
            routing_enums_pb2.LocalSearchMetaheuristic.GUIDED_LOCAL_SEARCH
        )
        parameters.time_limit.FromMilliseconds(int(1000 * time.left))
        found = routing.SolveWithParameters(parameters)
        if found is None:
            raise NoSolutionError
        routes = []
        for vehicle in range(vehicles):
            at, route = found.Value(routing.NextVar(routing.Start(vehicle))), []
            while not routing.IsEnd(at):
                route.append(manager.IndexToNode(at))
                at = found.Value(routing.NextVar(at))
            if route:
                routes.append(route)
        return Solution([0, *routes[0]]) if demand is None else Solution.from_routes(routes)
