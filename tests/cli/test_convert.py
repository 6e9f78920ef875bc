import json

import numpy as np
import pytest

import sil
from tests.cli.command import run


@pytest.fixture
def cvrp(tmp_path):
    path = tmp_path / "a.npz"
    sil.write(path, sil.generate_cvrp(20, seed=1, capacity=60))
    return path


@pytest.mark.parametrize("name", ["b.NPZ", "b.Json"])
def test_endings_in_capitals(cvrp, tmp_path, name):
    run("convert", cvrp, tmp_path / name)
    assert sil.read(tmp_path / name) == sil.read(cvrp)
    assert {path.name for path in tmp_path.iterdir()} == {"a.npz", name}


def test_a_solution_is_converted_only_if_it_is_one(cvrp, tmp_path):
    solution = sil.construct(sil.read(cvrp), "sweep")
    good, wrong = tmp_path / "good.json", tmp_path / "wrong.json"
    sil.write_solution(good, solution, sil.read(cvrp))
    run("convert", good, tmp_path / "b.sol", "--problem", cvrp)
    assert sil.read_solution(tmp_path / "b.sol") == solution
    for nodes, message in (
        (solution.nodes[:-1], "is not visited"),
        (np.append(solution.nodes[:-1], solution.nodes[0]), "is visited 2 times"),
    ):
        flags = solution.via_depot[: len(nodes)]
        wrong.write_text(json.dumps({"nodes": nodes.tolist(), "via_depot": flags.tolist()}))
        done = run("convert", wrong, tmp_path / "c.sol", "--problem", cvrp, code=2)
        assert message in done.stderr
        assert not (tmp_path / "c.sol").exists()


@pytest.mark.parametrize("scale", ["nan", "inf", "0", "-1", "1e300"])
def test_scales_that_are_none(cvrp, tmp_path, scale):
    done = run("convert", cvrp, tmp_path / "b.vrp", "--metric", "EUC_2D", "--scale", scale, code=2)
    assert "--scale" in done.stderr or "at most" in done.stderr
    assert not (tmp_path / "b.vrp").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["A", "folder.npz"], "this is a folder"),
        (["A", "nowhere/a.npz"], "there is no folder"),
        (["A", "/dev/null"], "a device, a pipe"),
        (["A", "b.npz", "--index", "-1"], "no problem -1"),
        (["A", "b.npz", "--index", "7"], "no problem 7"),
        (["b.sol", "c.json"], "--problem"),
        (["b.sol", "c.json", "--problem", "A", "--scale", "2"], "are for problems"),
        (["b.sol", "c.tour", "--problem", "A"], "written as .sol"),
        (["missing\x1b[2J.npz", "c.json"], "no such file"),
    ],
)
def test_misuse_ends_with_two_and_a_message(cvrp, tmp_path, arguments, message):
    (tmp_path / "folder.npz").mkdir()
    problem = sil.read(cvrp)
    sil.write_solution(tmp_path / "b.sol", sil.construct(problem, "sweep"), problem)
    places = [a if a[0] in "-/" or a.isdigit() else tmp_path / a for a in arguments]
    places = [cvrp if place == tmp_path / "A" else place for place in places]
    done = run("convert", *places, code=2)
    assert message in done.stderr
    assert "\x1b" not in done.stderr


def test_degrees_and_minutes_are_not_scaled(tmp_path):
    sil.write(tmp_path / "a.tsp", sil.Problem([[10.3, 5.2], [1.1, 2.2]], metric="GEO"))
    for option in (("--scale", 2), ("--metric", "EUC_2D")):
        done = run("convert", tmp_path / "a.tsp", tmp_path / "b.tsp", *option, code=2)
        assert "GEO" in done.stderr
