"""Rows of results to test with."""

from dataclasses import replace

from sil.bench.method_name import MethodName
from sil.bench.row import Row, Status

_ROW = Row(
    suite="uniform", set_name="tsp-60", instance="a", problem="TSP", nodes=60,
    method=MethodName("search"), seed=0, threads=1, memory_gb=8.0, seconds_asked=0.5,
    seconds_used=0.51, status=Status.OK, message="", cost=6.25, reference=None, origin="",
    gap_percent=None, peak_mb=66.1, growth_mb=20.5, machine="m, 2 cores", version="0.1.0",
    date="2026-11-16T00:00:00+00:00",
)  # fmt: skip


def row(method: str = "search", **changed) -> Row:
    """Make a row that differs from a usual one in these fields."""
    return replace(_ROW, method=MethodName.parse(method), **changed)
