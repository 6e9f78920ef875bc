import subprocess
import sys

import pytest

from sil.confined.confine import memory_mb

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems limit less")


def confined(body: str, arguments: str = "1, 1.0") -> subprocess.CompletedProcess[str]:
    script = f"from sil.confined.confine import confine; confine({arguments})\n{body}"
    return subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60
    )


def test_more_memory_than_allowed_is_a_memory_error():
    done = confined("x = bytearray(2 * 2**30)")
    assert done.returncode == 1
    assert "MemoryError" in done.stderr


def test_it_runs_on_as_many_cores_as_allowed_and_they_wrap_around():
    done = confined("import os; print(len(os.sched_getaffinity(0)))", "1, 4.0, first_core=100")
    assert done.stdout.strip() == "1"


def test_cpu_time_is_limited():
    assert confined("while True: pass", "1, 4.0, cpu_seconds=1").returncode < 0


def test_memory_of_a_process_is_known_and_of_none_is_zero():
    assert 1 < memory_mb("self", "VmRSS") <= memory_mb("self", "VmHWM") < 100_000
    assert memory_mb(2**30, "VmRSS") == 0
