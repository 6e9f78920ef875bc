import csv
from dataclasses import dataclass
from enum import StrEnum

import pytest

from sil.io.records import columns, csv_text, from_cells, read_records, to_cells


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True)
class Pair:
    left: int
    right: int

    @classmethod
    def parse(cls, text: str) -> "Pair":
        return cls(*map(int, text.split("-")))

    def __str__(self) -> str:
        return f"{self.left}-{self.right}"


@dataclass(frozen=True)
class Record:
    name: str
    count: int
    share: float
    cost: float | None
    colour: Colour
    pair: Pair
    best: bool


FULL = Record('a, "b"\nc', 3, 0.1, 1e-9, Colour.RED, Pair(1, 2), True)
EMPTY = Record("", 0, 0.0, None, Colour.RED, Pair(0, 0), False)


def test_records_come_back_from_text(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(csv_text([FULL, EMPTY], header=Record), newline="")
    assert read_records(path, Record) == [FULL, EMPTY]
    with path.open("a", newline="") as file:
        file.write(csv_text([FULL]))
    assert read_records(path, Record) == [FULL, EMPTY, FULL]


def test_columns_are_fields():
    assert columns(Record) == ["name", "count", "share", "cost", "colour", "pair", "best"]
    assert to_cells(FULL)["pair"] == "1-2"
    assert to_cells(EMPTY)["cost"] == ""
    assert [to_cells(each)["best"] for each in (FULL, EMPTY)] == ["1", "0"]


@pytest.mark.parametrize(
    "changed",
    [
        {"count": "1.5"}, {"count": ""}, {"share": "x"}, {"colour": "blue"}, {"pair": "1"},
        {"best": "2"}, {"best": "True"},
    ],
)  # fmt: skip
def test_wrong_cells_are_a_value_error(changed):
    cells = to_cells(FULL)
    assert from_cells(Record, cells) == FULL
    ((name, text),) = changed.items()
    with pytest.raises(ValueError, match=f"{name} is {text!r}"):
        from_cells(Record, cells | changed)


def test_a_file_without_a_column_and_a_damaged_line_are_named(tmp_path):
    path = tmp_path / "a.csv"
    text = csv_text([EMPTY, EMPTY], header=Record)
    path.write_text(text.replace("share", "part"), newline="")
    with pytest.raises(ValueError, match="columns are missing: share"):
        read_records(path, Record)
    path.write_text(text.removesuffix("0\r\n") + "no\r\n", newline="")
    with pytest.raises(ValueError, match="line 3: best is 'no'"):
        read_records(path, Record)


@pytest.mark.parametrize("line", ["a,1", "a,1,0.5,,red,1-2,1,more"])
def test_rows_of_another_length_are_a_value_error(line):
    (cells,) = csv.DictReader([line], columns(Record))
    with pytest.raises(ValueError, match="7 columns"):
        from_cells(Record, cells)
