"""Native work with threads that cannot start, without memory, and at Python's end."""

import subprocess
import sys

import pytest

HEADER = """
import resource, threading, time
import numpy as np
import sil
from sil import _native
from sil._native import Interrupt

def allow_more(megabytes):
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    limit = used + megabytes * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
"""
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="limits the address space")


def run(script: str) -> str:
    """Run in a process of its own, which must end well."""
    done = subprocess.run(
        [sys.executable, "-c", HEADER + script],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@linux_only
@pytest.mark.parametrize("megabytes", [100, 3])
def test_work_is_done_with_fewer_threads_where_they_cannot_start(megabytes):
    # A thread's stack takes eight megabytes of addresses: there is room for few of them, or none.
    assert "done" in run(f"""
problem = sil.generate_tsp(5_000)
parts = np.reshape(problem.nodes, (1_250, 4))
expected, nodes = parts.copy(), parts.copy()
first, second = _native.PartialSolutions(expected), _native.PartialSolutions(nodes)
_native.reconstruct_exactly(problem.instance, first, 1, Interrupt())
allow_more({megabytes})
_native.reconstruct_exactly(problem.instance, second, 512, Interrupt())
assert (nodes == expected).all() and (nodes != parts).any()
print("done")
""")


@linux_only
def test_memory_that_is_missing_in_a_thread_is_an_error():
    assert "refused" in run("""
problem = sil.generate_tsp(400_000)
lists = np.ones((problem.num_nodes, 100), dtype=np.int32)  # of which the thread makes copies
near, tour = _native.Neighbours(lists), sil.construct(problem, "curve").native()
region = np.zeros(problem.num_nodes, dtype=np.int32)
effort, instance = _native.Effort(0), problem.instance
allow_more(60)
try:
    _native.search_tour(instance, near, tour, region, 1, False, effort, 1, Interrupt())
except MemoryError:
    print("refused")
""")


@pytest.mark.parametrize("kind", ["tsp", "cvrp"])
@pytest.mark.parametrize("wait", [0.05, 0.5])
def test_python_ends_in_peace_while_a_thread_solves(kind, wait):
    assert "the end" in run(f"""
def solve():
    problem = sil.generate_{kind}(20_000)
    while True:
        sil.solve(problem, sil.MaxRuntime(60), threads=2)

threading.Thread(target=solve, daemon=True).start()
time.sleep({wait})
print("the end")
""")


def test_work_begun_at_the_very_end_does_not_hang():
    assert "the end" in run("""
import atexit

problem = sil.generate_tsp(3_000)

def solve():
    while True:
        sil.construct(problem, "greedy")

# Exit handlers run in the opposite order: these while native work is already told to stop.
@atexit.register
def linger():
    time.sleep(0.3)

threads = [threading.Thread(target=solve, daemon=True) for _ in range(3)]
for thread in threads:
    thread.start()
time.sleep(0.2)
print("the end")
""")
