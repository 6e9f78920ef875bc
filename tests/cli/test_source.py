import json

import numpy as np
import pytest

from sil import Metric, Problem, read, read_solution, write
from tests.cli.command import run


@pytest.fixture
def town(tmp_path):
    path = tmp_path / "town.json"
    coords = [[45.0, 7.6], [45.1, 7.7], [45.05, 7.5]]
    write(path, Problem(coords, [0, 1, 1], 2, metric=Metric.HAVERSINE, name="town"))
    return path


def test_a_metric_and_a_detour_override_the_file(town, tmp_path):
    straight = json.loads(run("solve", town, "--rounds", 0, "--json").stdout)["cost"]
    roads = run("solve", town, "--rounds", 0, "--json", "--detour", 1.3).stdout
    assert json.loads(roads)["cost"] == pytest.approx(1.3 * straight)
    run("convert", town, tmp_path / "town.vrp", "--metric", "EUC_2D", "--detour", 1.3)
    assert read(tmp_path / "town.vrp").metric is Metric.EUC_2D


def test_rounding_is_a_choice(tmp_path):
    rng = np.random.default_rng(0)
    write(tmp_path / "a.tsp", Problem(rng.random((9, 2)) * 9, metric="EUC_2D"))
    for options, kind in ((), int), (("--metric", "EUCLIDEAN"), float):
        done = run("solve", tmp_path / "a.tsp", "--rounds", 1, "--json", *options)
        assert isinstance(json.loads(done.stdout)["cost"], kind)


def test_a_detour_in_a_plane_is_refused(tmp_path):
    write(tmp_path / "a.json", Problem([[0, 0], [1, 1]]))
    assert "HAVERSINE" in run("info", tmp_path / "a.json", "--detour", 2, code=2).stderr


def test_a_shift_needs_a_speed(town):
    shift = ("--max-duration", "8h", "--service", "5min")
    assert "--speed" in run("info", town, *shift, code=2).stderr
    run("info", town, *shift, "--speed", "50km/h")


def test_a_customer_out_of_reach_is_named(town):
    done = run("solve", town, "--max-distance", "20km", code=2)
    assert "node 1 cannot be served" in done.stderr


def test_a_fleet_that_is_too_small_ends_with_its_own_code(tmp_path):
    path, out = tmp_path / "a.json", tmp_path / "a.sol"
    write(path, Problem([[0, 0], [1, 0], [2, 0], [3, 0]], [0, 2, 2, 2], 3))
    done = run("solve", path, "--max-vehicles", 2, "--rounds", 5, "--out", out, code=3)
    assert "needs 3" in done.stderr
    assert read_solution(out).num_routes == 3
    assert "there are 3 routes" in run("check", path, out, "--max-vehicles", 2, code=2).stdout
    assert "at least 2" in run("solve", path, "--max-vehicles", 1, code=2).stderr
