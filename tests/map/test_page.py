import json
import re

import pytest

from sil import InputError, Problem, Solution, construct, generate_cvrp, save_map
from sil.map.page import drawn, require_map_format


def embedded(text):
    return json.loads(re.search(r'id="plan">(.*?)</script>', text, re.DOTALL)[1])


def test_a_map_contains_the_plan_and_needs_nothing_else(tmp_path):
    problem = generate_cvrp(50, capacity=40)
    solution = construct(problem, "savings")
    save_map(tmp_path / "map.html", solution, problem)
    text = (tmp_path / "map.html").read_text(encoding="utf-8")
    assert embedded(text) == drawn(solution, problem)
    assert "function drawRoutes" in text
    assert not re.search(r"https?:|<link|src=", text)
    assert "<!-- " not in text


def test_names_cannot_run_as_code(tmp_path):
    evil = "</script><script>alert(1)</script>"
    problem = Problem([[0, 0], [1, 2]], names=["a", evil], name="<b>&")
    save_map(tmp_path / "map.html", Solution([0, 1]), problem)
    text = (tmp_path / "map.html").read_text(encoding="utf-8")
    assert evil not in text
    assert "<b>" not in text
    assert embedded(text)["names"] == ["a", evil]


def test_each_route_is_described():
    problem = Problem([[45, 7], [45.1, 7], [45.2, 7]], [0, 2, 3], 5, "HAVERSINE")
    seen = drawn(Solution.from_routes([[1, 2]]), problem)
    assert seen["aboutRoutes"] == ["2 stops, load 5, 44.5 km"]
    assert seen["about"] == "2 stops on 1 route, 44.5 km"
    assert seen["routes"] == [[1, 2]]
    assert seen["y"][0] < seen["y"][1] < seen["y"][2]


def test_other_endings_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"must be \.html"):
        require_map_format(tmp_path / "map.png")
