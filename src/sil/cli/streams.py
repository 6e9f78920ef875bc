"""Standard streams whose failure does not lose a result."""

import io
import os
import sys
from contextlib import suppress
from typing import TextIO


class ForgivingStream(io.TextIOBase):
    """Passes text on to a stream and ignores errors, such as a closed stream or a full disk.

    Parameters
    ----------
    stream
        The stream; None if the process was started without it.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write text, if possible."""
        if self._stream is not None:
            with suppress(OSError):
                self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Write pending text, if possible."""
        if self._stream is not None:
            with suppress(OSError):
                self._stream.flush()

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return self._stream is not None and self._stream.isatty()

    def fileno(self) -> int:
        """Return the file descriptor."""
        if self._stream is None:
            raise OSError("there is no such stream")
        return self._stream.fileno()

    def writable(self) -> bool:
        """Whether it can be written to: always."""
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of the stream."""
        return "utf-8" if self._stream is None else self._stream.encoding


def forgive_streams() -> None:
    """Let no message fail, not even with characters that the terminal lacks.

    Losing a message on standard error is better than losing a result.
    """
    sys.stderr = ForgivingStream(sys.stderr)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def finish_standard_output() -> None:
    """Write pending output; if that fails, raise OSError and drop the rest."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except OSError:
        # Python flushes it again when it exits, which must not fail a second time.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise
