"""The command, run from outside."""

import subprocess
import sys

SIL = [sys.executable, "-m", "sil"]


def run(*arguments, code=0):
    """Run the command; it must end with this code, and never with a traceback."""
    done = subprocess.run(
        [*SIL, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        stdin=subprocess.DEVNULL,
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == code, done.stderr
    return done
