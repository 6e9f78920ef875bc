import os
import signal
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from sil import generate_cvrp, generate_tsp, io
from sil.serve.backend import End
from sil.serve.job import Folder, Job
from sil.serve.local import LocalBackend
from sil.serve.settings import Limits, Settings
from tests.processes import wait_until

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="other systems limit and tell less")


@pytest.fixture
def run(tmp_path):
    """Run a job; give the attempt and its progress."""
    problem = generate_cvrp(50)
    io.write(Folder(tmp_path).problem, problem)

    def make(seconds=0.5, memory_gb=8.0, stop=lambda: False, vanish=lambda: False, **more):
        settings = Settings(tmp_path, threads=1, limits=Limits(memory_gb=memory_gb))
        job = Job("0" * 16, "a", "x", "CVRP", "EUCLIDEAN", 50, "auto", 0, seconds, False, 1.0)
        seen = []
        backend = LocalBackend(settings)
        attempt = backend.run(replace(job, **more), Folder(tmp_path), 0, seen.append, stop, vanish)
        return attempt, seen

    return make


def test_a_job_runs_to_its_end(run, tmp_path):
    attempt, seen = run()
    assert (attempt.end, attempt.message) == (End.FINISHED, "")
    assert "search" in attempt.shares
    assert seen[-1]["cost"] > 0
    assert not Folder(tmp_path).work.exists()


def test_a_job_is_asked_to_stop(run):
    attempt, seen = run(seconds=300.0, stop=lambda: True)
    assert attempt.end is End.FINISHED
    assert seen


def test_a_job_vanishes_at_once(run):
    attempt, _ = run(seconds=300.0, vanish=lambda: True)
    assert attempt.end is End.LOST


@LINUX
def test_a_process_that_was_killed_is_lost(run, tmp_path):
    def kill():
        file = Folder(tmp_path).work / "output.txt"
        wait_until(file.exists)
        for stat in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = stat.read_bytes().split(b"\0")
            except OSError:
                continue
            if b"sil.serve.worker" in words and str(tmp_path).encode() in stat.read_bytes():
                os.kill(int(stat.parent.name), signal.SIGKILL)
                return

    killer = threading.Timer(0.3, kill)
    killer.start()
    attempt, _ = run(seconds=300.0)
    killer.join()
    assert attempt.end is End.LOST
    assert "SIGKILL" in attempt.message


@LINUX
def test_too_little_memory_is_hopeless_and_said_so(run, tmp_path):
    io.write(Folder(tmp_path).problem, generate_tsp(200_000))
    attempt, _ = run(memory_gb=0.1)
    assert attempt.end is End.HOPELESS
    assert "memory" in attempt.message


def test_a_method_that_refuses_is_hopeless(run):
    attempt, _ = run(method="nonsense")
    assert (attempt.end, "nonsense" in attempt.message) == (End.HOPELESS, True)


def test_a_job_without_its_folder_is_lost_and_nothing_breaks(tmp_path):
    settings = Settings(tmp_path)
    job = Job("0" * 16, "a", "x", "TSP", "EUCLIDEAN", 50, "auto", 0, 1.0, False, 1.0)
    backend = LocalBackend(settings)
    attempt = backend.run(
        job, Folder(tmp_path / "no"), 0, lambda _: None, lambda: False, lambda: False
    )
    assert attempt.end is End.LOST
