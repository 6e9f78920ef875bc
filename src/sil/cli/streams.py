"""Standard streams that cannot cost anybody a result."""

import io
import os
import sys
from contextlib import suppress
from typing import TextIO


class ForgivingStream(io.TextIOBase):
    """Passes text on to a stream, and drops what that cannot take: it is closed, full or gone.

    Parameters
    ----------
    stream
        The stream; None if the process was started without it.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write text, if that can be done."""
        if self._stream is not None:
            with suppress(OSError):
                self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Write what is pending, if that can be done."""
        if self._stream is not None:
            with suppress(OSError):
                self._stream.flush()

    def isatty(self) -> bool:
        """Whether a person looks at it."""
        return self._stream is not None and self._stream.isatty()

    def fileno(self) -> int:
        """Return the number of the file behind it."""
        if self._stream is None:
            raise OSError("there is no such stream")
        return self._stream.fileno()

    def writable(self) -> bool:
        """Whether it can be written to: always."""
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """How text becomes bytes."""
        return "utf-8" if self._stream is None else self._stream.encoding


def forgive_streams() -> None:
    """Let no message fail, and no sign that a terminal lacks.

    What is shown on standard error is never worth more than the work.
    """
    sys.stderr = ForgivingStream(sys.stderr)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def finish_standard_output() -> None:
    """Write what is pending; raise OSError if it cannot be, and let nothing try again."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except OSError:
        # Python flushes it once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise
