"""Numbers with the units that people read."""

from sil.metric import Metric
from sil.problem import Problem
from sil.result import format_cost


def length_text(problem: Problem, length: float) -> str:
    """Write a length: in kilometres where distances are metres, otherwise without a unit."""
    if problem.metric is Metric.HAVERSINE:
        return f"{length / 1000:,.1f} km" if length < 1e6 else f"{length / 1000:,.0f} km"
    return format_cost(problem.as_cost(length))
