"""Processes that end together with the process that started them, however that ends."""

import ctypes
import os
import signal
from contextlib import suppress

_PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int | None = None) -> None:
    """Have this process killed when its parent ends. Does so on Linux only.

    Parameters
    ----------
    parent
        Id of the expected parent. If this process has another parent already, the expected one has
        ended and this process ends at once.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if parent is not None and os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)
