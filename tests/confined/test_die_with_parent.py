import signal
import subprocess
import sys

import pytest

from tests.processes import is_running, wait_until

PARENT = """
import os, subprocess, sys, time
child = "from sil.confined.die_with_parent import die_with_parent; import sys, time; " \\
        "die_with_parent(int(sys.argv[1])); print('ready', flush=True); time.sleep(300)"
process = subprocess.Popen([sys.executable, "-c", child, str(os.getpid())], stdout=subprocess.PIPE)
process.stdout.readline()
print(process.pid, flush=True)
time.sleep(300)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such signal")
def test_a_child_ends_with_its_parent():
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True)
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    wait_until(lambda: not is_running(child))


def test_a_process_whose_parent_is_gone_ends_at_once():
    script = "from sil.confined.die_with_parent import die_with_parent; die_with_parent(1)"
    done = subprocess.run([sys.executable, "-c", script], check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
