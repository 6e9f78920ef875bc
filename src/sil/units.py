"""Numbers with the units that people read."""

from sil.metric import Metric
from sil.problem import Problem


def format_cost(cost: int | float) -> str:
    """Format a cost: with thousands separators and, unless it is an integer, four decimals."""
    return f"{cost:,}" if isinstance(cost, int) else f"{cost:,.4f}"


def length_text(problem: Problem, length: float) -> str:
    """Write a length: in kilometres where distances are metres, otherwise without a unit."""
    if problem.metric is Metric.HAVERSINE:
        return f"{length / 1000:,.1f} km" if length < 1e6 else f"{length / 1000:,.0f} km"
    return format_cost(problem.as_cost(length))


def duration_text(problem: Problem, time: float) -> str:
    """Write a time: in hours and minutes where times are seconds, otherwise without a unit."""
    if problem.metric is Metric.HAVERSINE:
        hours, minutes = divmod(round(time / 60), 60)
        return f"{hours:,} h {minutes:02} min" if hours else f"{minutes} min"
    return f"{time:,.6g}"
