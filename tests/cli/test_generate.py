import pytest

import sil
from tests.cli.command import run


def test_endings_in_capitals(tmp_path):
    out = tmp_path / "A.NPZ"
    run("generate", "tsp", "--size", 9, "--out", out)
    assert sil.read(out) == sil.generate_tsp(9)
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tsp", "--size", "1000000000000000", "--out", "a.npz"], "must be below"),
        (["tsp", "--size", "9", "--out", "folder.npz"], "this is a folder"),
        (["tsp", "--size", "9", "--out", "nowhere/a.npz"], "there is no folder"),
        (["tsp", "--size", "9", "--out", "a.csv"], "extension must be one of"),
        (["tsp", "--size", "9", "--out", "a.tsp"], "choose a rounding metric"),
        (["cvrp1k", "--out", "file"], "cannot create this folder"),
        (["cvrp1k", "--out", "file/below"], "cannot create this folder"),
        (["cvrp1k", "--out", "folder.npz"], "this is a folder"),
        (["cvrp1k", "--size", "9", "--out", "a.npz"], "a fixed set"),
        (["cvrp1k", "--seed", "9", "--out", "a.npz"], "a fixed set"),
    ],
)
def test_misuse_ends_with_two_and_a_message(tmp_path, arguments, message):
    (tmp_path / "folder.npz").mkdir()
    (tmp_path / "file").write_text("precious")
    arguments[-1] = str(tmp_path / arguments[-1])
    assert message in run("generate", *arguments, code=2).stderr
    assert {path.name for path in tmp_path.iterdir()} == {"folder.npz", "file"}
    assert (tmp_path / "file").read_text() == "precious"


def test_limits_of_routes_are_generated_too(tmp_path):
    limits = ("--max-duration", 9, "--service", 0.5, "--max-vehicles", 30)
    run("generate", "cvrp", "--size", 50, "--out", tmp_path / "a.json", *limits)
    problem = sil.read(tmp_path / "a.json")
    assert (problem.max_duration, problem.max_vehicles) == (9, 30)
    assert problem.service.tolist() == [0, *[0.5] * 50]
    done = run("generate", "tsp", "--size", 9, "--out", tmp_path / "b.npz", *limits, code=2)
    assert "no limits of routes" in done.stderr
