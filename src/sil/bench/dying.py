"""Processes that end with the one that started them, however that ends."""

import ctypes
import os
import signal
from contextlib import suppress

_PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int | None = None) -> None:
    """Be killed when the parent ends; on Linux, elsewhere nothing happens.

    Parameters
    ----------
    parent
        Process that is meant. If another one is the parent already, it has ended.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if parent is not None and os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)
