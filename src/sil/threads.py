"""How many threads there may be."""

import os
from numbers import Integral

from sil.errors import InputError, excerpt

MOST_THREADS = 1024


def available_threads() -> int:
    """Count the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def require_threads(threads: int) -> int:
    """Return a number of threads, or raise an error if there cannot be so many."""
    if isinstance(threads, bool) or not isinstance(threads, Integral):
        raise InputError(f"threads must be a whole number, not {excerpt(threads)}")
    if not 1 <= threads <= MOST_THREADS:
        raise InputError(f"{excerpt(threads)} threads: choose from 1 to {MOST_THREADS}")
    return int(threads)
