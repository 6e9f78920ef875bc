import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import sil
from tests.cli.command import SIL


@pytest.fixture
def instance(tmp_path):
    path = tmp_path / "a.npz"
    sil.write(path, sil.generate_cvrp(300, seed=1, capacity=60))
    return path


def solve(instance, *options, **process):
    command = [*SIL, "solve", str(instance), "--rounds", "3", *map(str, options)]
    return subprocess.run(command, check=False, text=True, **process)


def test_a_standard_error_that_fails_costs_no_result(instance, tmp_path):
    read, write = os.pipe()
    os.close(read)
    with Path("/dev/full").open("w") as full, os.fdopen(write, "w") as broken:
        for number, stderr in enumerate((full, broken)):
            out = tmp_path / f"{number}.sol"
            done = solve(instance, "--out", out, stdout=subprocess.PIPE, stderr=stderr)
            assert done.returncode == 0
            assert "cost" in done.stdout
            assert sil.read_solution(out).is_feasible(sil.read(instance))
    out = tmp_path / "closed.sol"
    closed = f"{sys.executable} -m sil solve {instance} --rounds 3 --out {out} 2>&-"
    assert subprocess.run(closed, shell=True, check=False, capture_output=True).returncode == 0
    assert sil.read_solution(out).is_feasible(sil.read(instance))


def test_a_full_standard_output_is_an_error_and_costs_no_result(instance, tmp_path):
    out = tmp_path / "a.sol"
    with Path("/dev/full").open("w") as full:
        done = solve(instance, "--out", out, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("error: standard output")
    assert "Traceback" not in done.stderr
    assert sil.read_solution(out).is_feasible(sil.read(instance))


def test_an_output_that_cannot_be_written_is_found_before_the_work(instance, tmp_path):
    folder = tmp_path / "folder.sol"
    folder.mkdir()
    done = solve(instance, "--out", folder, capture_output=True)
    assert done.returncode == 2
    assert "round" not in done.stderr


def test_a_disk_that_is_full_at_the_end_costs_no_result(instance, tmp_path):
    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    out = tmp_path / "a.sol"
    out.write_text("old")
    # Measuring the coverage writes files, too.
    env = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    done = solve(
        instance, "--out", out, capture_output=True, preexec_fn=small_files, cwd=tmp_path, env=env
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "printed instead" in done.stderr
    routes = json.loads(done.stdout.splitlines()[0])["routes"]
    assert sil.Solution.from_routes(routes).is_feasible(sil.read(instance))
    assert out.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.npz", "a.sol"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--method", "search", "--l-max", "50"], "does not use"),
        (["--method", "search", "--weights", "fast.safetensors"], "no such file"),
        (["--method", "auto", "--no-whole-first"], "does not use"),
        (["--method", "search", "--device", "cpu"], "does not use"),
        (["--method", "policy", "--device", "abacus"], "cannot use the device"),
        (["--threads", str(2**31)], "threads"),
        (["--target-cost", "nan"], "not a number"),
        (["--max-runtime", "nan"], "runtime"),
    ],
)
def test_options_that_cannot_be_used_are_refused(instance, options, message):
    done = solve(instance, *options, capture_output=True)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.replace("│", " ").split())
    assert "round" not in done.stderr.replace("--rounds", "")


def test_weights_may_serve_the_start_alone(instance, tmp_path):
    config, weights = sil.policy.weights.pretrained("CVRP")
    mine = tmp_path / "mine.safetensors"
    sil.policy.weights.save(mine, config, weights)
    options = ("--weights", mine, "--start", "policy", "--method", "search", "--json")
    done = solve(instance, *options, capture_output=True)
    assert json.loads(done.stdout)["method"] == "search"


def test_weights_for_the_other_problem_are_refused_before_the_work(instance, tmp_path):
    config, weights = sil.policy.weights.pretrained("TSP")
    mine = tmp_path / "mine.safetensors"
    sil.policy.weights.save(mine, config, weights)
    done = solve(instance, "--weights", mine, "--method", "policy", capture_output=True)
    assert done.returncode == 2
    assert "TSP" in done.stderr
    assert "round" not in done.stderr


def test_a_device_runs_the_network_in_pytorch(instance):
    options = ("--method", "policy", "--device", "cpu", "--json")
    done = solve(instance, *options, capture_output=True)
    assert json.loads(done.stdout)["method"] == "policy"


def test_a_spreadsheet_becomes_a_plan_and_a_map(tmp_path):
    table = tmp_path / "stops.csv"
    rows = [f"C{i};{45 + i % 7 / 100:.4f};{7 + i % 11 / 100:.4f};{i % 5}" for i in range(1, 60)]
    table.write_text("name;lat;lon;demand\ndepot;45.03;7.05;0\n" + "\n".join(rows) + "\n")
    out, page = tmp_path / "plan.csv", tmp_path / "map.html"
    options = ("--capacity", "20", "--rounds", "2", "--out", out, "--map", page)
    assert solve(table, *options).returncode == 0
    assert len(out.read_text().splitlines()) == 60
    assert "C59" in page.read_text()
    assert (tmp_path / "plan-routes.csv").exists()
