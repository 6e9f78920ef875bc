"""What a confined process does to itself before its work: it limits cores, memory and CPU time."""

import os
import resource
from contextlib import suppress
from pathlib import Path


def confine(
    threads: int, memory_gb: float, *, first_core: int = 0, cpu_seconds: int | None = None
) -> None:
    """Limit this process and all programs that it starts.

    Parameters
    ----------
    threads
        Number of cores that it may use.
    memory_gb
        Limit on its address space, in gigabytes.
    first_core
        Number of the first of these cores, so that processes side by side use different ones.
    cpu_seconds
        CPU time after which the system ends it; None for no limit.
    """
    _lower(resource.RLIMIT_AS, int(memory_gb * 2**30))
    if cpu_seconds is not None:
        _lower(resource.RLIMIT_CPU, cpu_seconds)
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        chosen = {cores[(first_core + number) % len(cores)] for number in range(threads)}
        os.sched_setaffinity(0, chosen)


def memory_mb(process: int | str, which: str) -> float:
    """Resident memory of a process (VmRSS) or its peak (VmHWM); 0 if the system does not tell.

    getrusage would not do: its peak starts at the parent's.
    """
    with suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines():
            if line.startswith(f"{which}:"):
                return int(line.split()[1]) / 1024
    return 0.0


def _lower(limit: int, size: int) -> None:
    """Set a limit, unless a stricter one is set already."""
    _, most = resource.getrlimit(limit)
    if most == resource.RLIM_INFINITY or size < most:
        resource.setrlimit(limit, (size, size))
