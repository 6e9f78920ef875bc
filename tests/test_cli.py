import json
import signal
import subprocess
import time

import numpy as np
import pytest

import sil
from sil import io
from sil.policy.weights import pretrained, save
from tests.cli.command import SIL, run


@pytest.fixture
def cvrp(tmp_path):
    path = tmp_path / "a.npz"
    sil.write(path, sil.generate_cvrp(300, seed=1, capacity=60))
    return path


def test_solve_writes_checks_and_draws(cvrp, tmp_path):
    out, picture = tmp_path / "a.sol", tmp_path / "a.png"
    done = run("solve", cvrp, "--max-iterations", 20, "--out", out, "--plot", picture)
    assert "CVRP of 300 nodes" in done.stdout
    assert "round" in done.stderr
    assert picture.read_bytes().startswith(b"\x89PNG")
    checked = run("check", cvrp, out)
    assert checked.stdout.startswith("valid: 300 nodes")
    assert "note" not in checked.stderr


def test_json_is_one_object_on_standard_output(cvrp):
    options = ("--method", "search", "--max-iterations", 5, "--seed", 3, "--json")
    report = json.loads(run("solve", cvrp, *options).stdout)
    assert report["feasible"] is True
    assert {
        "instance": "cvrp300-uniform-1",
        "problem": "CVRP",
        "nodes": 300,
        "iterations": 5,
        "method": "search",
        "seed": 3,
        "version": sil.__version__,
    }.items() <= report.items()
    assert {"cost", "routes", "runtime"} <= set(report)
    again = json.loads(run("solve", cvrp, *options).stdout)
    assert again["cost"] == report["cost"]


def test_json_tells_the_share_of_each_reconstructor(cvrp):
    report = json.loads(run("solve", cvrp, "--max-runtime", 1, "--json").stdout)
    assert report["method"] == "search"
    (search,) = report["shares"]
    assert search["name"] == "search"
    assert search["rounds"] >= 1
    assert search["gain"] > 0


def test_a_solution_file_is_a_start(cvrp, tmp_path):
    out = tmp_path / "a.sol"
    run("solve", cvrp, "--start", "insertion", "--method", "none", "--out", out)
    report = json.loads(run("solve", cvrp, "--start", out, "--max-iterations", 5, "--json").stdout)
    assert report["start"] == "solution"
    assert report["cost"] < io.read_stated_cost(out)


def test_the_policy_starts_and_improves(cvrp, tmp_path):
    report = json.loads(run("solve", cvrp, "--method", "policy", "--rounds", 5, "--json").stdout)
    assert (report["method"], report["start"], report["iterations"]) == ("policy", "insertion", 5)
    out = tmp_path / "a.sol"
    options = ("--start", "policy", "--method", "none")
    report = json.loads(run("solve", cvrp, *options, "--out", out, "--json").stdout)
    assert report["start"] == "policy"
    greedy = sil.NativePolicy.load(sil.read(cvrp)).construct(sil.read(cvrp))
    assert io.read_stated_cost(out) == pytest.approx(greedy.cost(sil.read(cvrp)))


def test_weights_of_ones_own_are_loaded(cvrp, tmp_path):
    config, weights = pretrained("CVRP")
    save(tmp_path / "mine.safetensors", config, weights)
    options = ("--method", "policy", "--rounds", 2, "--l-max", 30, "--json")
    run("solve", cvrp, *options, "--weights", tmp_path / "mine.safetensors", "--start", "policy")
    done = run("solve", cvrp, *options, "--weights", tmp_path / "other.safetensors", code=2)
    assert "there is no such file" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_writes_the_best_so_far(tmp_path, number):
    path, out = tmp_path / "a.npz", tmp_path / "a.tour"
    sil.write(path, sil.generate_tsp(20_000))
    process = subprocess.Popen(
        [*SIL, "solve", str(path), "--max-runtime", "100", "--out", str(out), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert "round 0" in process.stderr.readline()
    sent = time.perf_counter()
    process.send_signal(number)
    stdout, _ = process.communicate(timeout=60)
    assert time.perf_counter() - sent < 30
    assert process.returncode == 130
    assert json.loads(stdout)["interrupted"] is True
    assert sil.read_solution(out).check(sil.read(path)) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["solve", "missing.vrp"], "no such file"),
        (["solve", "A", "--out", "a.tour"], "written as .sol"),
        (["solve", "A", "--out", "nowhere/a.sol"], "there is no folder"),
        (["solve", "A", "--plot", "a.xyz"], "the file extension must be one of"),
        (["solve", "A", "--start", "magic"], "choose from insertion"),
        (["solve", "A", "--start", "missing.sol"], "no such file"),
        (["solve", "A", "--method", "magic"], "exact"),
        (["solve", "A", "--max-runtime", "-1"], "max-runtime"),
        (["solve", "A", "--index", "4"], "no problem 4"),
        (["generate", "tsp", "--out", "a.npz"], "use --size"),
        (["generate", "tsp9k", "--out", "a.npz"], "choose tsp, cvrp, or one of"),
        (["generate", "tsp", "--size", "9", "--capacity", "4", "--out", "a.npz"], "no capacity"),
        (["generate", "cvrp1k", "--out", "a.vrp"], "one .npz file or to a folder"),
        (["convert", "A", "a.vrp"], "choose a rounding metric"),
    ],
)
def test_bad_usage_ends_with_two_and_a_message(cvrp, tmp_path, arguments, message):
    arguments = [str(cvrp) if a == "A" else a for a in arguments]
    done = run(*arguments, code=2)
    assert message in " ".join(done.stderr.replace("│", " ").split())
    assert done.stdout == ""


def test_check_names_what_is_wrong(cvrp, tmp_path):
    wrong = tmp_path / "a.sol"
    wrong.write_text(
        "Route #1: 1 2 2\nRoute #2: " + " ".join(map(str, range(4, 301))) + "\nCost 1\n"
    )
    done = run("check", cvrp, wrong, code=2)
    assert "node 2 is visited 2 times" in done.stdout
    assert "node 3 is not visited" in done.stdout
    assert "more than the capacity 60" in done.stdout
    report = json.loads(run("check", cvrp, wrong, "--json", code=2).stdout)
    assert report["feasible"] is False
    assert len(report["violations"]) == 3


def test_check_notes_a_cost_that_is_not_so(cvrp, tmp_path):
    out = tmp_path / "a.sol"
    run("solve", cvrp, "--method", "none", "--out", out)
    out.write_text(out.read_text().replace("Cost: ", "Cost: 9"))
    assert "states a cost of 9" in run("check", cvrp, out).stderr


def test_generate_and_info(tmp_path):
    out = tmp_path / "a.npz"
    run("generate", "cvrp", "--size", 50, "--seed", 7, "--distribution", "mixed", "--out", out)
    assert sil.read(out) == sil.generate_cvrp(50, 7, sil.Distribution.MIXED)
    facts = json.loads(run("info", out, "--json").stdout)
    assert (facts["problem"], facts["nodes"], facts["capacity"]) == ("CVRP", 50, 250)
    assert facts["fewest routes"] == -(-facts["demand"] // 250)
    assert "EUCLIDEAN" in run("info", out).stdout


def test_generate_a_named_set(tmp_path):
    run("generate", "cvrp1k-c200", "--out", tmp_path / "set.npz")
    first = next(iter(sil.TEST_SETS["cvrp1k-c200"].problems()))
    assert sil.read(tmp_path / "set.npz", index=0) == first
    run("generate", "cvrp1k-c200", "--out", tmp_path / "set")
    assert len(list((tmp_path / "set").iterdir())) == 100
    assert sil.read(tmp_path / "set" / "cvrp1k-c200-000.npz") == first


def test_convert_a_problem_and_a_solution(cvrp, tmp_path):
    rounded = tmp_path / "a.vrp"
    run("convert", cvrp, rounded, "--metric", "EUC_2D", "--scale", 1000)
    problem = sil.read(rounded)
    assert problem.metric == "EUC_2D"
    assert np.array_equal(problem.coords, sil.read(cvrp).coords * 1000)
    out = tmp_path / "a.sol"
    run("solve", rounded, "--method", "none", "--out", out)
    run("convert", out, tmp_path / "a.geojson", "--problem", rounded)
    assert len(json.loads((tmp_path / "a.geojson").read_text())["features"]) == (
        sil.read_solution(out).num_routes
    )


def test_csv_takes_its_capacity_from_the_command(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,y,demand\n0,0,0\n1,1,2\n2,2,2\n")
    report = json.loads(run("solve", path, "--capacity", 2, "--json").stdout)
    assert report["routes"] == 2


def test_help_and_version():
    assert "sil solve big.npz" in run("--help").stdout
    assert run("--version").stdout.strip() == f"sil {sil.__version__}"
    for command in ("solve", "check", "generate", "convert", "info"):
        assert "Usage" in run(command, "--help").stdout


def test_a_terminal_shows_a_live_line(cvrp):
    import os
    import pty

    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [*SIL, "solve", str(cvrp), "--max-runtime", "1"],
        stderr=follower,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "TERM": "xterm"},
    )
    os.close(follower)
    shown = b""
    while True:
        try:
            shown += os.read(leader, 65536)
        except OSError:  # the other side is closed
            break
        if process.poll() is not None:
            break
    assert process.wait(timeout=30) == 0
    os.close(leader)
    assert "cost" in shown.decode(errors="ignore")


def test_bench_measures_resumes_and_reports(tmp_path):
    suite = ["bench", "ablation", "--scale", "smoke", "--threads", 1, "--out", tmp_path / "b"]
    done = run(*suite)
    assert "auto" in done.stdout
    assert "report.html" in done.stdout
    rows = (tmp_path / "b" / "results.csv").read_text()
    assert rows.count("\n") == 1 + 6
    assert "cvrp60" not in run(*suite).stdout
    assert (tmp_path / "b" / "results.csv").read_text() == rows
    run("bench", "report", tmp_path / "b")
    done = run("bench", "report", tmp_path / "nothing", code=2)
    assert "no results here yet" in done.stderr
    assert "uniform" in run("bench", "--help").stdout
