"""A peer that is killed, hangs or prints rubbish: the program that HGS names is a script."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sil import generate_cvrp, generate_tsp
from sil._native import Interrupt
from sil.bench import isolated_run
from sil.bench.isolated_run import Outcome, run
from sil.bench.method_name import MethodName
from sil.bench.row import Status
from sil.bench.solver import Limits
from sil.errors import InputError
from tests.processes import is_running, wait_until

PROBLEM = generate_cvrp(30, capacity=30)


@pytest.fixture
def peer(tmp_path, monkeypatch):
    """Make the HGS binary do what is written here."""

    def make(body: str) -> None:
        script = tmp_path / "fake-hgs"
        script.write_text(f"#!{sys.executable}\nimport os, pathlib, sys, time\n{body}\n")
        script.chmod(0o755)
        monkeypatch.setenv("HGS", str(script))

    return make


def attempt(method="HGS binary", problem=PROBLEM, memory_gb=8.0, seconds=1.0) -> Outcome:
    limits = Limits(seconds, threads=1, seed=0)
    outcome = run(
        MethodName.parse(method),
        problem,
        limits,
        memory_gb=memory_gb,
        most_seconds=60,
        interrupt=Interrupt(),
    )
    assert outcome is not None
    return outcome


def each_its_own_route(drop: int = 0) -> str:
    return (
        f"lines = [f'Route #{{i}}: {{i}}' for i in range(1, {31 - drop})]\n"
        "pathlib.Path(sys.argv[2]).write_text('\\n'.join(lines) + '\\nCost 1\\n')"
    )


def test_a_good_answer_is_taken_and_costed_by_us(peer):
    peer(each_its_own_route())
    outcome = attempt()
    assert outcome.status is Status.OK, outcome.message
    expected = 2 * sum(PROBLEM.distance(0, node) for node in range(1, 31))
    assert outcome.solution.cost(PROBLEM) == pytest.approx(expected)
    assert 0 < outcome.seconds < 60
    assert outcome.peak_mb > 1


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        ("sys.exit(3)", Status.CRASH, "fake-hgs ended with exit code 3"),
        ("os.kill(os.getpid(), 9)", Status.CRASH, "exit code -9"),
        ("os.kill(os.getppid(), 9)", Status.CRASH, "killed by SIGKILL"),
        ("os.kill(os.getppid(), 40)", Status.CRASH, "killed by signal 40"),
        ("pathlib.Path(sys.argv[2]).write_text('#?!')", Status.CRASH, ""),
        ("print('no file at all')", Status.CRASH, "wrote no solution"),
        (each_its_own_route(drop=1), Status.INVALID, "30"),
        ("x = bytearray(3 * 2**30)", Status.MEMORY, "exit code 1"),
    ],
)
def test_rubbish_is_a_row_and_not_a_failure(peer, body, status, says):
    peer(body)
    outcome = attempt(memory_gb=2.0)
    assert outcome.status is status
    assert says in outcome.message
    assert outcome.solution is None


def test_a_peer_that_hangs_is_killed_with_all_that_it_started(peer, tmp_path, monkeypatch):
    monkeypatch.setattr(isolated_run, "_FINISH", 0.5)
    alive = tmp_path / "alive"
    peer(f"while True:\n    pathlib.Path({str(alive)!r}).touch()\n    time.sleep(0.01)")
    outcome = attempt(seconds=0.1)
    assert outcome.status is Status.TIMEOUT
    assert outcome.message == "no answer in 1 s"
    assert alive.exists()
    alive.unlink()
    isolated_run.time.sleep(0.2)
    assert not alive.exists()


def test_an_answer_that_is_late_does_not_count(peer):
    peer("time.sleep(1.5)\n" + each_its_own_route())
    assert attempt(seconds=2.0).status is Status.OK
    outcome = attempt(seconds=0.1)
    assert outcome.status is Status.TIMEOUT
    assert outcome.message.startswith("answered only after")
    assert outcome.solution is None


def test_a_program_in_the_present_folder_is_found(peer, tmp_path, monkeypatch):
    peer(each_its_own_route())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HGS", "./fake-hgs")
    assert attempt().status is Status.OK


def test_too_much_memory_has_its_own_name():
    pytest.importorskip("torch")
    outcome = attempt("attention, full attention", generate_tsp(20_000), memory_gb=4.0)
    assert outcome.status is Status.MEMORY
    assert "memory" in outcome.message


def test_a_method_without_a_solution_in_its_time_is_a_timeout():
    pytest.importorskip("ortools")
    outcome = attempt("OR-Tools", generate_cvrp(1_500), seconds=0.2)
    assert outcome.status is Status.TIMEOUT


def test_a_program_says_why_it_wrote_nothing(peer):
    peer("print('EXCEPTION | Number of nodes is undefined')")
    assert "its last line was: EXCEPTION | Number of nodes" in attempt().message


def test_an_interrupt_ends_the_run(peer):
    peer("time.sleep(60)")
    interrupt = Interrupt()
    interrupt.expire_in(0.5)
    limits = Limits(1.0, threads=1, seed=0)
    name = MethodName("HGS binary")
    found = run(name, PROBLEM, limits, memory_gb=8, most_seconds=60, interrupt=interrupt)
    assert found is None


def test_what_a_killed_run_left_in_temporary_folders_is_removed(peer, tmp_path, monkeypatch):
    monkeypatch.setattr(isolated_run, "_FINISH", 0.5)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    seen = tmp_path / "seen"
    peer(f"pathlib.Path({str(seen)!r}).write_text(sys.argv[1])\ntime.sleep(60)")
    assert attempt(seconds=0.1).status is Status.TIMEOUT
    assert Path(seen.read_text()).is_relative_to(tmp_path / "temporary")
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_worker_that_never_begins_is_no_timeout_of_the_method(monkeypatch):
    monkeypatch.setattr(isolated_run, "_START", 0.01)
    outcome = attempt("insertion")
    assert outcome.status is Status.CRASH
    assert outcome.message.startswith("not ready to begin")


def test_a_worker_that_dies_before_it_begins_is_a_row(monkeypatch):
    monkeypatch.setattr("sys.executable", "/bin/false")
    assert attempt("insertion").status is Status.CRASH


def test_what_lies_in_the_present_folder_is_not_imported(tmp_path, monkeypatch):
    (tmp_path / "json.py").write_text("raise SystemExit(7)")
    monkeypatch.chdir(tmp_path)
    assert attempt("insertion").status is Status.OK


def test_a_disk_that_is_full_is_an_input_error(monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(isolated_run.tempfile, "TemporaryDirectory", full)
    with pytest.raises(InputError, match="No space left"):
        attempt("insertion")


RUNNER = """
import sys
from sil import generate_cvrp
from sil._native import Interrupt
from sil.bench.method_name import MethodName
from sil.bench.run import Confines, run_suite
from sil.bench.sets import Case
from sil.bench.suites import Group
from sil.cli.common import interruptible
from pathlib import Path
methods = (MethodName("HGS binary"),)
group = Group([Case("small", generate_cvrp(30, capacity=30))], 1, methods, (30.0,))
with interruptible() as interrupt:
    run_suite("ablation", [group], Path(sys.argv[1]), Confines(1), lambda *_: None, interrupt)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_no_process_outlives_a_benchmark(peer, tmp_path, number):
    pids = tmp_path / "pids"
    family = "f'{os.getpid()} {os.getppid()}'"
    peer(f"pathlib.Path({str(pids)!r}).write_text({family})\ntime.sleep(200)")
    environment = {**os.environ, "TMPDIR": str(tmp_path)}  # nobody is left to clean it
    command = [sys.executable, "-c", RUNNER, str(tmp_path / "out")]
    runner = subprocess.Popen(command, env=environment)
    left: list[int] = []
    try:
        wait_until(lambda: pids.exists() and len(pids.read_text().split()) == 2)
        runner.send_signal(number)
        runner.wait(60)
        left = [int(pid) for pid in pids.read_text().split()]
        wait_until(lambda: not any(is_running(pid) for pid in left))
    finally:
        runner.kill()
        runner.wait()
        for pid in filter(is_running, left):
            os.kill(pid, signal.SIGKILL)
