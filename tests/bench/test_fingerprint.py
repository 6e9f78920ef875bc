import shutil
from pathlib import Path

import pytest

import sil
from sil import Metric, Problem, generate_cvrp, generate_tsp
from sil.bench.fingerprint import (
    adapter_code,
    instance_sum,
    own_code,
    run_version,
    sources,
    sum_of_files,
    without_instance,
)
from sil.bench.peers.elkai import Elkai
from sil.bench.peers.pyvrp import PyVrp
from sil.bench.registry import SOLVERS

PACKAGE = Path(sil.__file__).parent


@pytest.fixture
def package(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "sil", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "sil"


def fingerprint(folder: Path) -> str:
    return sum_of_files(sources(folder), folder)


def test_the_same_code_has_the_same_fingerprint_anywhere(package, tmp_path):
    shutil.copytree(package, tmp_path / "elsewhere")
    assert fingerprint(package) == fingerprint(tmp_path / "elsewhere") == fingerprint(PACKAGE)


@pytest.mark.parametrize("name", ["solve.py", "policy/native.py", "bench/own_methods.py"])
def test_changed_code_has_another(package, name):
    before = fingerprint(package)
    with (package / name).open("a") as file:
        file.write("\n")
    assert fingerprint(package) != before


def test_new_and_renamed_files_count(package):
    before = fingerprint(package)
    (package / "methods_of_ours.py").write_text("")
    assert fingerprint(package) != before
    (package / "methods_of_ours.py").unlink()
    assert fingerprint(package) == before


@pytest.mark.parametrize("name", ["bench/report.py", "cli/bench.py", "plot.py"])
def test_what_cannot_change_a_result_does_not_count(package, name):
    before = fingerprint(package)
    (package / name).write_text("")
    assert fingerprint(package) == before


def test_the_native_module_counts_wherever_it_lies(package, tmp_path):
    native = tmp_path / "native.so"
    native.write_bytes(b"1")
    before = sum_of_files([*sources(package), native], package)
    native.write_bytes(b"2")
    assert sum_of_files([*sources(package), native], package) != before


def test_versions_of_our_methods_name_the_code_and_those_of_peers_how_they_are_called():
    assert own_code() in SOLVERS["search"].version
    assert "weights" in SOLVERS["search"].version
    assert own_code("bench/decoding_memory.py") != own_code()
    assert adapter_code(PyVrp) != adapter_code(Elkai)


def test_the_clock_and_the_interface_of_peers_count(monkeypatch):
    def named(files, folder):
        return {path.relative_to(folder).as_posix() for path in files}

    monkeypatch.setattr("sil.bench.fingerprint.sum_of_files", named)
    assert {"bench/peers/pyvrp.py", "bench/solver.py", "bench/worker.py"} <= adapter_code(PyVrp)


def test_an_instance_is_known_by_its_content():
    assert instance_sum(generate_tsp(20)) == instance_sum(generate_tsp(20))
    coords = generate_tsp(20).coords
    different = [
        Problem(coords), Problem(coords, metric=Metric.EUC_2D), generate_tsp(20, 1),
        generate_cvrp(20), generate_cvrp(20, capacity=77),
    ]  # fmt: skip
    assert len({instance_sum(problem) for problem in different}) == len(different)


def test_the_version_of_a_run_has_parts_of_which_the_instance_is_the_last():
    version = run_version("code 1, weights 2", generate_tsp(20))
    assert version.endswith(instance_sum(generate_tsp(20)))
    assert without_instance(version) == [sil.__version__, "code 1", "weights 2"]
