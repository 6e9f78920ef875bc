import csv
import math
from dataclasses import replace

import pytest

from sil import Problem, generate_cvrp, generate_tsp, io
from sil._native import Interrupt
from sil.bench.method_name import MethodName
from sil.bench.results import Results
from sil.bench.row import Row, Status
from sil.bench.run import Confines, best_files, run_suite
from sil.bench.sets import Case
from sil.bench.suites import Group
from sil.errors import InputError

CASES = [Case("small", generate_tsp(40), 5.0, "a guess"), Case("small", generate_cvrp(40))]


def named(*names: str) -> tuple[MethodName, ...]:
    return tuple(map(MethodName.parse, names))


GROUPS = [Group(CASES, 2, named("insertion", "PRC2", "search", "FILO2"), (0.3, 0.6))]
VARYING = ("seconds_used", "peak_mb", "growth_mb", "date")


def run_all(folder, interrupt=None) -> tuple[bool, list[tuple[int, int]]]:
    shown = []
    complete = run_suite(
        "ablation",
        GROUPS,
        folder,
        Confines(threads=1),
        lambda row, done, total: shown.append((done, total)),
        interrupt or Interrupt(),
    )
    return complete, shown


def table_of(folder) -> list[dict[str, str]]:
    with (folder / "results.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return [{key: value for key, value in row.items() if key not in VARYING} for row in rows]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    complete, shown = run_all(folder)
    assert complete
    assert shown == [(done, 12) for done in range(1, 13)]
    return folder


def test_every_run_is_a_row(finished):
    rows = Results(finished).rows
    assert [str(row.method) for row in rows] == 2 * [
        "insertion",
        "PRC2",
        *["search"] * 2,
        *["FILO2"] * 2,
    ]
    for row in rows:
        if row.method.base == "FILO2":
            assert row.status is Status.SKIPPED
            assert row.message in ("it solves CVRP only", "set FILO2 to the path of the program")
            assert row.cost is None
        else:
            assert row.status is Status.OK
            assert row.seconds_asked in (0.0, 0.3, 0.6)
            assert row.machine and row.version
    tour = rows[0]
    assert tour.gap_percent == pytest.approx(100 * (tour.cost / 5.0 - 1))
    assert rows[-3].gap_percent is None


def test_the_best_solution_of_each_instance_is_kept(finished):
    rows = Results(finished).rows
    for case in CASES:
        file = finished / "solutions" / "small" / f"{case.problem.name}.npz"
        best = min(row.cost for row in rows if row.instance == case.problem.name and row.cost)
        assert io.read_solution(file).cost(case.problem) == pytest.approx(best)


def test_only_what_is_missing_is_done(finished, tmp_path):
    lines = (finished / "results.csv").read_text().splitlines(keepends=True)
    (tmp_path / "results.csv").write_text("".join(lines[:8]) + lines[8][:10])
    complete, shown = run_all(tmp_path)
    assert complete
    assert [done for done, _ in shown] == [8, 9, 10, 11, 12]
    untimed = [row for row in table_of(tmp_path) if row["method"] != "search"]
    assert untimed == [row for row in table_of(finished) if row["method"] != "search"]
    assert run_all(tmp_path) == (True, [])


def test_an_interrupt_loses_only_the_row_under_way(finished, tmp_path):
    interrupt = Interrupt()
    begun = run_suite(
        "ablation",
        GROUPS,
        tmp_path,
        Confines(threads=1),
        lambda row, done, total: interrupt.set() if done == 3 else None,
        interrupt,
    )
    assert not begun
    assert len(table_of(tmp_path)) == 3
    assert run_all(tmp_path)[0]
    assert len(table_of(tmp_path)) == len(table_of(finished))


def rows_after(folder, finished, **changed) -> list[Row]:
    """Run what the rows of a finished benchmark, changed in this way, leave to do."""
    folder.mkdir()
    results = Results(folder)
    for row in Results(finished).rows:
        results.append(replace(row, **changed))
    _, shown = run_all(folder)
    return [Results(folder).rows[done - 1] for done, _ in shown]


def test_a_reference_that_was_not_known_is_added(finished, tmp_path):
    assert rows_after(tmp_path / "a", finished, reference=None, gap_percent=None) == []
    assert Results(tmp_path / "a").rows == Results(finished).rows


def test_a_reference_that_is_not_at_hand_again_stays(finished, tmp_path):
    assert rows_after(tmp_path / "a", finished, reference=7.0, origin="LKH-3") == []
    cvrp = [row for row in Results(tmp_path / "a").rows if row.problem == "CVRP"]
    assert {(row.reference, row.origin) for row in cvrp} == {(7.0, "LKH-3")}


def test_what_our_other_version_did_is_done_again(finished, tmp_path):
    again = rows_after(tmp_path / "a", finished, version="0.0.1")
    assert {str(row.method) for row in again} == {"insertion", "PRC2", "search"}
    ours = {row.version for row in Results(finished).rows if row.method.base != "FILO2"}
    assert {row.version for row in again} == ours


def test_what_other_code_did_is_done_again_under_the_same_version(finished, tmp_path, monkeypatch):
    assert rows_after(tmp_path / "a", finished) == []
    monkeypatch.setattr("sil.bench.own_methods.own_code", lambda: "changed")
    again = rows_after(tmp_path / "b", finished)
    assert {str(row.method) for row in again} == {"insertion", "PRC2", "search"}
    assert all("code changed" in row.version for row in again)


def test_another_instance_of_the_same_name_is_done_again(tmp_path):
    ran = []
    for seed in (0, 0, 1):
        coords = generate_tsp(30, seed).coords
        group = Group([Case("small", Problem(coords, name="a"))], 1, named("insertion"))
        assert run_suite(
            "ablation", [group], tmp_path, Confines(1), lambda row, *_: ran.append(row), Interrupt()
        )
    assert len(ran) == 2
    problem, solution = best_files(tmp_path, "small", "a")
    assert io.read(problem).coords.tolist() == generate_tsp(30, 1).coords.tolist()
    assert io.read_solution(solution).cost(io.read(problem)) == pytest.approx(ran[1].cost)


@pytest.mark.parametrize("name", ["../../../escaped", "/", "a/b", "[red]", "$\\foo$", "."])
def test_any_name_stays_in_its_folder(name, tmp_path):
    out = tmp_path / "x" / "y" / "out"
    name = name if name != "/" else str(tmp_path / "escaped")
    case = Case(name, Problem(generate_tsp(20).coords, name=name))
    group = Group([case], 1, named("insertion"))
    assert run_suite("ablation", [group], out, Confines(1), lambda *_: None, Interrupt())
    kept = list(tmp_path.rglob("*.npz"))
    assert sorted(kept) == sorted(best_files(out, name, name))
    assert all(path.is_relative_to(out) for path in kept)
    assert Results(out).rows[0].instance == name


def test_nodes_in_one_place_have_no_gap(tmp_path):
    case = Case("small", Problem([[1.0, 1.0]] * 8, name="one place"), 0.0, "a proof")
    group = Group([case], 1, named("insertion"))
    assert run_suite("ablation", [group], tmp_path, Confines(1), lambda *_: None, Interrupt())
    assert [row.gap_percent for row in Results(tmp_path).rows] == [0.0]


@pytest.mark.parametrize(
    "bad",
    [
        {"threads": 0}, {"threads": 2**31}, {"threads": 1, "memory_gb": math.nan},
        {"threads": 1, "memory_gb": math.inf}, {"threads": 1, "memory_gb": 0},
        {"threads": 1, "most_seconds": math.nan},
    ],
)  # fmt: skip
def test_confines_that_cannot_be_are_an_error(bad):
    with pytest.raises(InputError):
        Confines(**bad)


def test_what_another_version_of_a_peer_did_is_done_again(tmp_path, monkeypatch):
    script = tmp_path / "filo2"
    monkeypatch.setenv("FILO2", str(script))
    group = Group([CASES[1]], 1, named("FILO2"), (0.3,))
    ran = []

    def show(row, done, total):
        ran.append(row.message)

    for body in ("exit 3", "exit 3", "exit 4"):
        script.write_text(f"#!/bin/sh\n{body}\n")
        script.chmod(0o755)
        assert run_suite("ablation", [group], tmp_path, Confines(1), show, Interrupt())
    assert ["exit code 3" in ran[0], "exit code 4" in ran[1], len(ran)] == [True, True, 2]
    script.unlink()
    assert run_suite("ablation", [group], tmp_path, Confines(1), show, Interrupt())
    assert len(ran) == 2


def test_more_memory_is_another_chance(finished, tmp_path):
    lost = {"status": Status.MEMORY, "cost": None}
    assert rows_after(tmp_path / "a", finished, **lost) == []
    again = rows_after(tmp_path / "b", finished, **lost, memory_gb=1.0)
    assert [str(row.method) for row in again] == 2 * ["insertion", "PRC2", "search", "search"]


def test_what_was_skipped_is_done_when_it_is_there(finished, tmp_path, monkeypatch):
    (tmp_path / "results.csv").write_text((finished / "results.csv").read_text())
    script = tmp_path / "filo2"
    script.write_text("#!/bin/sh\nexit 3\n")
    script.chmod(0o755)
    monkeypatch.setenv("FILO2", str(script))
    assert run_all(tmp_path) == (True, [(11, 12), (12, 12)])
    assert [row.status for row in Results(tmp_path).rows][-2:] == [Status.CRASH] * 2
