import json

import sil
from tests.cli.command import run


def test_an_overload_beyond_all_integers_is_not_valid(tmp_path):
    problem, solution = tmp_path / "a.json", tmp_path / "b.json"
    most = 2**53 - 1
    count = 1_025
    locs = [[0, 0]] * count
    values = {"locs": locs, "depot": [0, 0], "demand": [most] * count, "capacity": most}
    problem.write_text(json.dumps(values))
    nodes = list(range(1, count + 1))
    solution.write_text(json.dumps({"nodes": nodes, "via_depot": [1] + [0] * (count - 1)}))
    done = run("check", problem, solution, code=2)
    assert "the demands add up to" in done.stderr


def test_a_cost_that_is_stated_in_a_file_of_any_name(tmp_path):
    path = tmp_path / "a.npz"
    sil.write(path, sil.generate_tsp(3))
    solution = tmp_path / "b\x1b[2J.json"
    solution.write_text(json.dumps({"nodes": [0, 1, 2], "cost": 7}))
    done = run("check", path, solution)
    assert "states a cost of 7" in done.stderr
    assert "\x1b" not in done.stderr


def test_solutions_that_are_none(tmp_path):
    path = tmp_path / "a.npz"
    sil.write(path, sil.generate_cvrp(3))
    solution = tmp_path / "a.sol"
    solution.write_text("Route #1: 1 2 : 3\n")
    assert "line 1: ':' is not a customer number" in run("check", path, solution, code=2).stderr
