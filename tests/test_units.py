import pytest

from sil import Problem
from sil.units import duration_text, format_cost, length_text

EARTH = Problem([[45, 7], [46, 7]], metric="HAVERSINE")


@pytest.mark.parametrize(
    ("length", "expected"), [(0, "0.0 km"), (1234, "1.2 km"), (12_345_678.0, "12,346 km")]
)
def test_metres_are_shown_as_kilometres(length, expected):
    assert length_text(EARTH, length) == expected


def test_a_plane_has_no_unit():
    assert length_text(Problem([[0, 0], [3, 4]]), 5.0) == "5.0000"
    assert length_text(Problem([[0, 0], [3, 4]], metric="EUC_2D"), 5) == "5"


@pytest.mark.parametrize(
    ("time", "expected"), [(0, "0 min"), (3599, "1 h 00 min"), (29_100, "8 h 05 min")]
)
def test_seconds_are_shown_as_hours_and_minutes(time, expected):
    assert duration_text(EARTH, time) == expected
    assert duration_text(Problem([[0, 0], [3, 4]]), 12.5) == "12.5"


def test_costs_have_separators():
    assert format_cost(1234567) == "1,234,567"
    assert format_cost(1234.5) == "1,234.5000"
