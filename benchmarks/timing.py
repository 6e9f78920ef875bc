"""Time two things alternately, so that a noisy machine affects both alike."""

import statistics
import time
from collections.abc import Callable


def ratio(slow: Callable[[], object], fast: Callable[[], object], repeats: int = 3) -> float:
    """Median over the repeats of (time of slow) / (time of fast)."""
    return statistics.median(seconds(slow) / seconds(fast) for _ in range(repeats))


def seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun
