"""A sample of the attack, and all that once went wrong."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's ways with processes")


def attack(*options):
    # Coverage of forks is not counted, so it need not be measured.
    environment = {key: value for key, value in os.environ.items() if "COV" not in key}
    command = [sys.executable, "-m", "tests.fuzz", *options]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert " passed, 0 failed" in done.stdout


def test_a_sample_finds_nothing():
    attack("--cases", "300", "--seed", "1")


def test_what_once_went_wrong_goes_right():
    attack("--regressions")
