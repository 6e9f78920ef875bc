"""A Python module as a process of its own, which is killed with everything that it has started."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO

from sil.confined.confine import memory_mb

_LAST_WORDS = 65_536  # bytes at the end of the output that are examined
_OUT_OF_MEMORY = (
    "MemoryError", "bad_alloc", "Unable to allocate", "can't allocate memory",
    "Cannot allocate memory", "not enough memory",
)  # fmt: skip


class ConfinedProcess:
    """Runs ``python -m MODULE ARGUMENT...``; use it as a context, which leaves no process behind.

    The module itself calls `die_with_parent` and `confine` first.

    Parameters
    ----------
    module
        The module.
    arguments
        Its arguments.
    folder
        Where its output and its temporary files go.
    threads
        Number of threads of its numerical libraries.
    talks
        Whether to talk with it by `stdin` and `stdout`. Otherwise its input is empty, and what it
        prints is only kept for `last_words`.
    """

    def __init__(
        self, module: str, arguments: list[str], folder: Path, threads: int, talks: bool = False
    ) -> None:
        self._output = folder / "output.txt"
        # Temporary files that a killed process leaves behind are deleted together with its folder.
        environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "TMPDIR": str(folder)}
        with self._output.open("wb") as output:
            self._process = subprocess.Popen(
                # -P: import nothing from the current folder.
                [sys.executable, "-P", "-m", module, *arguments],
                stdin=subprocess.PIPE if talks else subprocess.DEVNULL,
                stdout=subprocess.PIPE if talks else output,
                stderr=output if talks else subprocess.STDOUT,
                env=environment,
                start_new_session=True,
            )
        self.peak_mb = 0.0

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def stdin(self) -> IO[bytes]:
        """Its input, if it talks."""
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def stdout(self) -> IO[bytes]:
        """Its output, if it talks."""
        assert self._process.stdout is not None
        return self._process.stdout

    def has_ended(self) -> bool:
        """Whether it has ended; also notes its memory."""
        self.peak_mb = max(self.peak_mb, _peak_of_family(self.pid))
        return self._process.poll() is not None

    def ask_to_stop(self) -> None:
        """Send it SIGTERM; it may finish its work or not."""
        if self._process.poll() is None:
            self._process.terminate()

    def kill(self) -> None:
        """Kill it with everything that it has started."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    @property
    def succeeded(self) -> bool:
        """Whether it has ended without an error."""
        return self._process.returncode == 0

    @property
    def ran_out_of_memory(self) -> bool:
        """Whether its last words say that there was not enough memory."""
        printed = self.last_words()
        return any(words in printed for words in _OUT_OF_MEMORY)

    def how_it_failed(self) -> str:
        """Say how it has ended, with the last line that it printed."""
        code = self._process.returncode
        how = f"killed by {_signal_name(-code)}" if code < 0 else f"exit code {code}"
        printed = self.last_words()
        said = printed.splitlines()[-1][:200] if printed else ""
        return f"{how}: {said}" if said else how

    def last_words(self) -> str:
        """Read the end of what it has printed, which may be very long."""
        with self._output.open("rb") as output:
            output.seek(max(0, self._output.stat().st_size - _LAST_WORDS))
            return output.read().decode("utf-8", errors="replace").strip()

    def __enter__(self) -> "ConfinedProcess":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()
        self._process.wait()  # leave no zombie
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):  # what it did not read any more
                    pipe.close()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # real-time signals have none
        return f"signal {number}"


def _peak_of_family(process: int) -> float:
    """Largest peak memory among a process and the programs that it has started."""
    family = [process]
    with suppress(OSError):
        children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="utf-8")
        family += [int(child) for child in children.split()]
    return max(memory_mb(each, "VmHWM") for each in family)
