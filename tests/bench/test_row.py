import math

import pytest

from sil.bench.row import Row, Status, percent_above
from sil.io.records import columns, from_cells, to_cells
from tests.bench.rows import row


def test_a_row_comes_back_from_text():
    for each in (
        row(),
        row("PRC10@/a/w.safetensors?1a2b", reference=5.0, gap_percent=25.0),
        row(status=Status.CRASH, cost=None, message="boom"),
        row(cost=1.0, reference=0.0, gap_percent=math.inf),
    ):
        assert from_cells(Row, to_cells(each)) == each


def test_columns_are_the_fields_in_order():
    assert columns(Row)[:6] == ["suite", "set_name", "instance", "problem", "nodes", "method"]
    assert to_cells(row("PRC10"))["method"] == "PRC10"
    assert to_cells(row(cost=None))["cost"] == ""


@pytest.mark.parametrize("name", ["cost", "reference", "seconds_used", "memory_gb", "growth_mb"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0])
def test_amounts_are_finite_and_not_negative(name, value):
    with pytest.raises(ValueError, match=f"{name} is"):
        row(**{name: value})


def test_the_key_tells_runs_apart():
    assert row().key == row(cost=1.0, status=Status.CRASH, version="2").key
    for changed in ({"threads": 2}, {"seconds_asked": 1.0}, {"method": "auto"}, {"suite": "x"}):
        assert row(**changed).key != row().key


def test_texts_are_escaped_and_kept_on_one_line():
    found = row("a@\x1b[31m", message="a\n  b", instance="c\nd", date="\x07").in_one_line()
    assert found.message == "a b"
    assert found.instance == r"c\nd"
    assert found.date == r"\x07"
    assert str(found.method) == r"a@\x1b[31m"
    assert found.status is Status.OK


def test_percentages():
    assert percent_above(110, 100) == pytest.approx(10)
    assert percent_above(0, 0) == 0
    assert percent_above(1, 0) == math.inf
