import csv

import pytest

from sil import InputError, Metric, Problem, Solution, write_solution
from sil.io.plans import routes_path

COORDS = [[45.0, 7.0], [45.1, 7.1], [45.2, 7.2]]


def test_a_plan_has_a_table_of_stops_and_one_of_routes(tmp_path):
    names = ["depot", 'Bar "Da Gino"', "Forlì; centro"]
    problem = Problem(COORDS, [0, 2, 3], 3, Metric.HAVERSINE, names=names)
    write_solution(tmp_path / "plan.csv", Solution.from_routes([[2], [1]]), problem)
    with (tmp_path / "plan.csv").open(newline="", encoding="utf-8") as file:
        stops = list(csv.DictReader(file))
    assert [stop["id"] for stop in stops] == names[:0:-1]
    assert [stop["route"] for stop in stops] == ["1", "2"]
    assert float(stops[0]["distance"]) == problem.distance(0, 2)
    with (tmp_path / "plan-routes.csv").open(newline="", encoding="utf-8") as file:
        routes = list(csv.DictReader(file))
    assert [route["load"] for route in routes] == ["3", "2"]
    assert float(routes[1]["length"]) == pytest.approx(2 * problem.distance(0, 1))


def test_nothing_is_written_if_the_second_table_cannot_be(tmp_path):
    routes_path(tmp_path / "plan.csv").mkdir()
    with pytest.raises(InputError, match="this is a folder"):
        write_solution(tmp_path / "plan.csv", Solution([0, 1, 2]), Problem(COORDS))
    assert not (tmp_path / "plan.csv").exists()
