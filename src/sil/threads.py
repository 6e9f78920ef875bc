"""Numbers of threads: how many are available, and how many may be asked for."""

import os

from sil.errors import InputError, excerpt
from sil.validate import whole_number

MOST_THREADS = 1024


def available_threads() -> int:
    """Count the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def require_threads(threads: int) -> int:
    """Return a number of threads; raise an error if it is out of range."""
    count = whole_number(threads, "the number of threads")
    if not 1 <= count <= MOST_THREADS:
        raise InputError(
            f"the number of threads is {excerpt(count)}: it must be 1 to {MOST_THREADS}"
        )
    return count
