"""Options that several commands share, and how commands are interrupted."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Annotated

import typer

from sil._native import Interrupt

INTERRUPTED = 130
FLEET_TOO_SMALL = 3  # no solution with so few vehicles was found

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")]


@contextmanager
def interruptible() -> Iterator[Interrupt]:
    """Turn the first Ctrl-C, SIGTERM or SIGHUP into a request to stop; the second one exits."""
    interrupt = Interrupt()

    def handle(number: int, frame: FrameType | None) -> None:
        del number, frame
        if interrupt.requested:
            sys.exit(INTERRUPTED)
        interrupt.set()
        print("Stopping …", file=sys.stderr)

    numbers = [signal.SIGINT, signal.SIGTERM]
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.append(signal.SIGHUP)  # sent when the terminal is closed; nohup ignores it
    kept = {number: signal.signal(number, handle) for number in numbers}
    try:
        yield interrupt
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
