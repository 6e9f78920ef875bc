"""What the commands share: common options, and how they stop."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from sil._native import Interrupt

INTERRUPTED = 130

Instance = Annotated[
    Path, typer.Argument(metavar="FILE", help="Problem: .tsp, .vrp, .npz, .json or .csv.")
]
Index = Annotated[
    int | None, typer.Option(help="Which problem of an npz file that holds several, from 0 on.")
]
Capacity = Annotated[int | None, typer.Option(help="Capacity, for a csv file with demands.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object to standard output.")]


@contextmanager
def interruptible() -> Iterator[Interrupt]:
    """Turn the first Ctrl-C, SIGTERM or SIGHUP into a request to stop, the second into an exit."""
    interrupt = Interrupt()

    def handle(number: int, frame: FrameType | None) -> None:
        del number, frame
        if interrupt.requested:
            sys.exit(INTERRUPTED)
        interrupt.set()
        print("stopping …", file=sys.stderr)

    numbers = [signal.SIGINT, signal.SIGTERM]
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.append(signal.SIGHUP)  # a closed terminal; under nohup it is ignored
    kept = {number: signal.signal(number, handle) for number in numbers}
    try:
        yield interrupt
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
