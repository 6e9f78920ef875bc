import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sil import Metric, Problem, Solution, plan
from tests.strategies import problems, random_solution


@given(problems(), st.integers(0, 99))
def test_routes_add_up_to_the_cost_and_stops_to_the_routes(problem, seed):
    solution = random_solution(problem, seed)
    routes, stops = plan.routes(solution, problem), plan.stops(solution, problem)
    assert routes["length"].sum() == pytest.approx(solution.cost(problem))
    assert routes["stops"].tolist() == [len(route) for route in solution.routes()]
    last = np.append(solution.starts[1:], len(solution.nodes)) - 1
    home = 0 if problem.kind == "CVRP" else solution.nodes[solution.starts]
    back = stops["distance"][last] + problem.distance(solution.nodes[last], home)
    assert back == pytest.approx(routes["length"])
    if problem.kind == "CVRP":
        assert stops["load"][last].tolist() == routes["load"].tolist()


def test_stops_have_their_names_and_places():
    coords = [[45.0, 7.0], [45.1, 7.1], [45.2, 7.2], [45.3, 7.3]]
    problem = Problem(coords, [0, 2, 3, 4], 9, Metric.HAVERSINE, names=["d", "A", "B", "C"])
    stops = plan.stops(Solution.from_routes([[3, 1], [2]]), problem)
    assert list(stops) == ["route", "position", "id", "lat", "lon", "load", "distance"]
    assert stops["route"].tolist() == [1, 1, 2]
    assert stops["position"].tolist() == [1, 2, 1]
    assert stops["id"].tolist() == ["C", "A", "B"]
    assert stops["lat"].tolist() == [45.3, 45.1, 45.2]
    assert stops["load"].tolist() == [4, 6, 3]
    legs = problem.distance([0, 3, 0], [3, 1, 2])
    assert stops["distance"] == pytest.approx([legs[0], legs[0] + legs[1], legs[2]])


def test_a_matrix_has_no_places():
    problem = Problem(matrix=np.ones((3, 3)) - np.eye(3), metric=Metric.EXPLICIT)
    assert list(plan.stops(Solution([0, 1, 2]), problem)) == ["route", "position", "id", "distance"]


def test_pictures_have_north_above():
    north = Problem([[48.30, 2.0], [49.0, 2.0]], metric=Metric.GEO)
    assert plan.positions(north)[1, 1] > plan.positions(north)[0, 1]


def test_times_are_those_of_arrival():
    problem = Problem(
        [[0, 0], [4, 0], [6, 0]], [0, 1, 1], 2, service=[0, 5, 7], speed=2.0, max_duration=99
    )
    solution = Solution.from_routes([[1, 2]])
    assert plan.stops(solution, problem)["time"].tolist() == [2, 8]
    assert plan.routes(solution, problem)["duration"].tolist() == [18]
