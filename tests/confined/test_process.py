import sys
import time

import pytest

from sil.confined.process import ConfinedProcess
from tests.processes import is_running, wait_until


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Write a module and run it."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    def make(body: str, talks: bool = False) -> ConfinedProcess:
        (tmp_path / "victim.py").write_text(body)
        return ConfinedProcess("victim", ["word"], tmp_path, 1, talks)

    return make


def test_it_ends_well_and_what_it_prints_is_kept(module):
    with module("import sys; print('hello', sys.argv[1])") as process:
        wait_until(process.has_ended)
        assert process.succeeded
    assert process.last_words() == "hello word"


def test_it_can_be_talked_with(module):
    with module("print(input()[::-1], flush=True); input()", talks=True) as process:
        process.stdin.write(b"olleh\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"hello\n"
    assert not process.succeeded


def test_leaving_it_kills_it_and_what_it_started(module, tmp_path):
    body = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)'])\n"
        "print(child.pid, flush=True)\ntime.sleep(300)"
    )
    with module(body) as process:
        wait_until(lambda: process.last_words() != "")
        child = int(process.last_words())
        assert not process.has_ended()
    wait_until(lambda: not is_running(child) and not is_running(process.pid))


def test_it_may_finish_when_asked_to_stop(module):
    body = (
        "import signal, sys, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))\n"
        "print('ready', flush=True)\ntime.sleep(300)"
    )
    with module(body) as process:
        wait_until(lambda: process.last_words() == "ready")
        process.ask_to_stop()
        wait_until(process.has_ended)
        assert process.succeeded
        process.ask_to_stop()  # too late, and no error


@pytest.mark.parametrize(
    ("body", "says", "memory"),
    [
        ("import os; print('last'); os.kill(os.getpid(), 9)", "killed by SIGKILL", False),
        ("import os; os.kill(os.getpid(), 40)", "killed by signal 40", False),
        ("raise SystemExit(3)", "exit code 3", False),
        ("raise MemoryError", "exit code 1: MemoryError", True),
    ],
)
def test_how_it_failed_is_said(module, body, says, memory):
    with module(body) as process:
        wait_until(process.has_ended)
    assert not process.succeeded
    assert process.how_it_failed().startswith(says)
    assert process.ran_out_of_memory == memory


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell")
def test_its_peak_memory_is_noted(module):
    with module(
        "x = bytearray(200_000_000); print('ready', flush=True); input()", talks=True
    ) as it:
        it.stdout.readline()
        it.has_ended()
        assert it.peak_mb > 190
        time.sleep(0)
