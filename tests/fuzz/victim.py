"""A command that is killed, with all that it has started, and what came of it."""

import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

HANG = 300.0  # seconds, far more than anything here takes
DECOYS = (".git-credentials", ".pre-commit-config.yaml", ".cache-x/file", ".sil-scratch-mine")
# As a shell would start it, but with one thread for PyTorch, so that runs can be repeated.
_ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1", "TERM": "xterm", "COLUMNS": "160"}


@dataclass
class Tally:
    """What a campaign has seen."""

    kills: int = 0
    phases: Counter[str] = field(default_factory=Counter)
    files: int = 0  # that were checked
    completed: int = 0  # commands that came to their end
    failures: list[str] = field(default_factory=list)

    def require(self, right: bool, what: str) -> None:
        """Note a failure unless it is right."""
        if not right:
            self.failures.append(what)

    def check(self, what: str, work: Callable[[], bool]) -> None:
        """Look at a file; note a failure if the work says no, or breaks off."""
        self.files += 1
        try:
            self.require(work(), what)
        except Exception as error:
            self.failures.append(f"{what}: {type(error).__name__}: {error}")

    def __str__(self) -> str:
        lines = [
            f"  kills {self.kills}, files checked {self.files}, commands that came to their end "
            f"{self.completed}, failures {len(self.failures)}"
        ]
        lines += [f"  {count:5d}  {phase}" for phase, count in sorted(self.phases.items())]
        lines += [f"  FAILED {failure}" for failure in self.failures[:20]]
        return "\n".join(lines)


class Victim:
    """A Python process in a session of its own.

    Parameters
    ----------
    arguments
        Of Python.
    log
        Where its output goes.
    terminal
        Give it a terminal for its errors, to see what it says that it is doing.
    """

    def __init__(self, arguments: list[str], log: Path, terminal: bool = False) -> None:
        self.log, self._said = log, b""
        self._master, slave = pty.openpty() if terminal else (None, None)
        with log.open("wb") as file:
            self.process = subprocess.Popen(
                [sys.executable, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file if slave is None else slave,
                start_new_session=True,
                env=_ENVIRONMENT,
            )
        if slave is not None:
            os.close(slave)
        self.began = time.monotonic()

    def __enter__(self) -> "Victim":
        return self

    def __exit__(self, *exception: object) -> None:
        self.kill()
        if self._master is not None:
            os.close(self._master)

    @property
    def said(self) -> str:
        """The end of what it has said on its terminal."""
        return self._said.decode(errors="replace")

    @property
    def output(self) -> str:
        """All that it has said."""
        return self.log.read_text(errors="replace") + self.said

    def runs_until(self, sign: Callable[[], bool], seconds: float = HANG) -> bool:
        """Wait for a sign or so many seconds; whether it still runs then."""
        end = time.monotonic() + seconds
        while self.process.poll() is None:
            if sign() or time.monotonic() >= end:
                return True
            self._listen(0.0003)
        self._listen(0)
        return False

    def runs_for(self, seconds: float) -> bool:
        """Wait so long; whether it still runs then."""
        return self.runs_until(lambda: False, seconds)

    def ends_well(self) -> bool:
        """Wait for its end; whether it was a good one."""
        return not self.runs_for(HANG) and self.process.returncode == 0

    def kill(self) -> None:
        """Kill it with all that it has started."""
        started = _descendants(self.process.pid) if self.process.poll() is None else []
        with suppress(ProcessLookupError):
            if self.process.poll() is None:
                os.killpg(self.process.pid, signal.SIGKILL)
        for number in started:
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        self.process.wait()

    def _listen(self, seconds: float) -> None:
        if self._master is None:
            time.sleep(seconds)
            return
        with suppress(OSError):  # the other end may be closed already
            while select.select([self._master], [], [], seconds)[0]:
                self._said = (self._said + os.read(self._master, 65536))[-65536:]
                seconds = 0


def is_locked(folder: Path) -> bool:
    """Whether a program has taken a folder for itself."""
    lock = folder / ".lock"
    return lock.exists() and f":{lock.stat().st_ino} " in Path("/proc/locks").read_text()


def plant(folder: Path) -> None:
    """Put files into a folder that are no business of ours."""
    for name in DECOYS:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)


def check_decoys(tally: Tally, folder: Path) -> None:
    """See whether they are still there."""
    for name in DECOYS:
        tally.check(f"{folder / name} is lost", lambda n=name: (folder / n).read_text() == n)


def _descendants(ancestor: int) -> list[int]:
    """Find the processes that a process has started, and those that these have started."""
    parents: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
    found = [ancestor]
    for number in found:
        found += [child for child, parent in parents.items() if parent == number]
    return found[1:]
