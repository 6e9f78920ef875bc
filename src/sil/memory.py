"""Available memory, so that what cannot fit is refused before it is tried."""

import os
import resource
from pathlib import Path

from sil.errors import InputError


def require_memory(needed: int, what: str) -> None:
    """Raise an error if there is less memory than needed.

    Parameters
    ----------
    needed
        Lower bound on the number of bytes.
    what
        What needs them: the subject of the error message.
    """
    left = available_memory()
    if needed > left:
        raise InputError(
            f"{what} needs {_gigabytes(needed)} of memory, but only {_gigabytes(left)} is available"
        )


def available_memory() -> int:
    """Bytes that this process can still allocate, given machine, container and process limits."""
    return max(0, min(_of_the_machine(), _of_the_container(), _of_the_process()))


def _of_the_machine() -> int:
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    except OSError:
        pass  # not Linux: use the total memory
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _of_the_container() -> int:
    group = Path("/sys/fs/cgroup")
    try:
        most = (group / "memory.max").read_text(encoding="ascii").strip()
        used = (group / "memory.current").read_text(encoding="ascii")
        return 2**63 if most == "max" else int(most) - int(used)
    except (OSError, ValueError):
        return 2**63


def _of_the_process() -> int:
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    if most == resource.RLIM_INFINITY:
        return 2**63
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except OSError:
        return most
    return most - pages * os.sysconf("SC_PAGE_SIZE")


def _gigabytes(count: int) -> str:
    return f"{count / 1e9:,.1f} GB"
