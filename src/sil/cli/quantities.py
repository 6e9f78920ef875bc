"""Lengths, times and speeds as people write them: 250km, 8h30, 5min, 50km/h."""

import re
from collections.abc import Mapping

from sil.errors import InputError, excerpt
from sil.metric import Metric
from sil.problem import Problem

_LENGTHS = {"m": 1.0, "km": 1000.0, "mi": 1609.344}
_TIMES = {"s": 1.0, "min": 60.0, "h": 3600.0}
_SPEEDS = {"m/s": 1.0, "km/h": 1 / 3.6, "kmh": 1 / 3.6, "mph": 0.44704}
_PART = re.compile(r"\s*(\d+(?:\.\d+)?|\.\d+)\s*([a-z/]*)", re.IGNORECASE | re.ASCII)


def length(text: str, problem: Problem, option: str) -> float:
    """Return a length in the unit of the problem's distances."""
    return _quantity(text, problem, option, _LENGTHS, "250km")


def duration(text: str, problem: Problem, option: str) -> float:
    """Return a time in the unit of the problem's times; 8h30 is 8.5 hours."""
    return _quantity(text, problem, option, _TIMES, "8h30 or 5min")


def speed(text: str, problem: Problem, option: str) -> float:
    """Return a speed in the units of the problem's distances and times."""
    return _quantity(text, problem, option, _SPEEDS, "50km/h")


def _quantity(
    text: str, problem: Problem, option: str, units: Mapping[str, float], example: str
) -> float:
    """Add up the parts of a quantity.

    Only latitudes and longitudes have units, metres and seconds, and there a unit is required: 250
    could be metres or kilometres. Other distances are numbers without a unit.
    """
    parts = _PART.findall(text)
    if "".join(text.split()).lower() != "".join(n + u for n, u in parts).lower() or not parts:
        raise InputError(f"{option} is {excerpt(text)}: write it like {example}")
    has_units = problem.metric is Metric.HAVERSINE
    if not has_units:
        if len(parts) > 1 or parts[0][1]:
            raise InputError(
                f"{option} is {excerpt(text)}, but the distances of this problem have no unit: "
                "give a number alone"
            )
        return float(parts[0][0])
    total, last = 0.0, ""
    for number, written in parts:
        # 8h30 is short for 8h30min.
        unit = "min" if not written and last == "h" else written.lower()
        if unit not in units:
            known = ", ".join(units)
            raise InputError(
                f"{option} is {excerpt(text)}: a unit is needed, one of {known}, as in {example}"
            )
        total, last = total + float(number) * units[unit], unit
    return total
