"""The command lines of the benchmarks: help texts, and errors before any work is done."""

import subprocess
import sys
from pathlib import Path

import pytest

import sil
from sil.policy.weights import pretrained, save

ROOT = Path(__file__).parent.parent
NAMES = ["", ".claim", ".construct", ".edges", ".page", ".policy", ".read", ".search", ".serve"]
NAMES += [".train", ".weights"]


def run(name: str, *arguments) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", f"benchmarks{name}", *(str(each) for each in arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False, cwd=ROOT
    )


def refused(name: str, *arguments) -> str:
    done = run(name, *arguments)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    return " ".join(done.stderr.split())


@pytest.mark.parametrize("name", NAMES)
def test_help_teaches_and_an_unknown_option_is_an_error(name):
    if name in ("", ".claim", ".policy", ".train"):
        pytest.importorskip("torch")
    shown = run(name, "--help")
    assert shown.returncode == 0, shown.stderr
    assert f"python -m benchmarks{name}" in shown.stdout
    assert "unrecognized arguments" in refused(name, *needed(name), "--unknown")


def needed(name: str) -> list[Path]:
    return [ROOT] if name in (".search", ".weights") else []


@pytest.mark.parametrize("name", [".search", ".weights"])
def test_data_is_looked_at_first(name, tmp_path):
    assert "required: DATA" in refused(name)
    assert "there is no folder" in refused(name, tmp_path / "nowhere")
    assert "no best_known.csv" in refused(name, tmp_path, "--only", "tsplib")
    assert "no solutions of cvrp5k" in refused(name, tmp_path, "--only", "cvrp5k")
    (tmp_path / "best_known.csv").write_text("instance,best_known\nrl5915,565530\n")
    assert "rl5915 is missing" in refused(name, tmp_path, "--only", "tsplib")
    for only in ("nothing", "cvrp5k:x", "cvrp5k:nan", "cvrp5k:0", "cvrp5k:"):
        assert f"--only {only}" in refused(name, tmp_path, "--only", only)


def test_options_are_looked_at_first(tmp_path):
    (tmp_path / "file").touch()
    here = [tmp_path, "--only", "tsp100k"]
    assert "there is a file" in refused(".search", *here, "--out", tmp_path / "file" / "x")
    assert "is a folder" in refused(".weights", *here, "--out", tmp_path)
    assert "there is a file" in refused(".weights", *here, "--out", tmp_path / "file" / "x.csv")
    assert "1 to 1024" in refused(".search", *here, "--threads", "0")
    assert "above 0" in refused(".search", *here, "--count", "0")
    assert "unknown method" in refused(".search", *here, "--method", "x")
    assert "there is no such file" in refused(".weights", *here, "--weights", tmp_path / "none")
    save(tmp_path / "w.safetensors", *pretrained("CVRP", "fast"))
    said = refused(".weights", *here, "--weights", tmp_path / "w.safetensors")
    assert "is for CVRP, not for tsp100k" in said
    assert "whole number" in refused(".weights", tmp_path, "--only", "tsp100k:1.5")


def test_a_claim_needs_a_folder(tmp_path):
    pytest.importorskip("torch")
    (tmp_path / "file").touch()
    assert "there is a file" in refused(".claim", "--out", tmp_path / "file")


def test_weights_are_measured_without_naming_a_file(tmp_path, monkeypatch):
    from benchmarks import weights
    from benchmarks.search import Case

    problem = sil.generate_tsp(60)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(weights, "cases_of", lambda name, data, first, number: [Case(problem, 6.0)])
    monkeypatch.setattr("sys.argv", ["weights", str(tmp_path), "--only", "tsp1k:10"])
    weights.main()
    written = (tmp_path / "benchmarks" / "results" / "weights.csv").read_text(encoding="utf-8")
    header, row = written.splitlines()
    assert header.startswith("set,instance,rounds,seconds,start,greedy,prc10,prc50")
    assert row.startswith(f"tsp1k,{problem.name},10,")
    assert row.endswith(",,,,,")  # no more than 10 rounds, and no search
