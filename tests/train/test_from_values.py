from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Literal

import pytest

from sil import InputError
from sil.train.from_values import convert_fields, from_values


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Inner:
    count: int
    share: float = 0.5

    def __post_init__(self) -> None:
        convert_fields(self)
        if self.count < 0:
            raise InputError("count is negative")


@dataclass(frozen=True)
class Outer:
    inner: Inner
    many: tuple[Inner, ...] = ()
    table: dict[str, float] = field(default_factory=dict)
    colour: Colour = Colour.RED
    kind: Literal["A", "B"] = "A"
    maybe: int | None = None


def test_nested_values_become_dataclasses():
    made = from_values(
        Outer,
        {"inner": {"count": 1, "share": 2}, "many": [{"count": 3}], "table": {"x": 1},
         "colour": "blue", "kind": "B", "maybe": 4},
    )  # fmt: skip
    assert made == Outer(Inner(1, 2.0), (Inner(3),), {"x": 1.0}, Colour.BLUE, "B", 4)
    assert type(made.inner.share) is float
    assert from_values(Outer, asdict(made)) == made


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({}, "missing: inner"),
        ({"inner": {}}, r"missing: inner\.count"),
        ({"inner": {"count": 1, "cuont": 2}}, r"unknown: inner\.cuont"),
        ({"inner": {"count": 1.0}}, r"inner\.count is 1\.0: it must be of type int"),
        ({"inner": {"count": True}}, r"inner\.count is True"),
        ({"inner": {"count": -1}}, "inner: count is negative"),
        ({"inner": {"count": 1}, "many": {"count": 1}}, "many .* must be a list"),
        ({"inner": {"count": 1}, "many": [{"count": "1"}]}, r"many\[0\]\.count is '1'"),
        ({"inner": {"count": 1}, "table": [1]}, "table .* must be a table"),
        ({"inner": {"count": 1}, "table": {"x": "y"}}, r"table\.x is 'y'"),
        ({"inner": {"count": 1}, "colour": "green"}, "colour is 'green': choose from red, blue"),
        ({"inner": {"count": 1}, "kind": "C"}, "kind is 'C': choose from A, B"),
        ({"inner": {"count": 1}, "maybe": "x"}, "maybe is 'x'"),
        ({"inner": 3}, "inner is 3: it must be a table"),
        (3, "a configuration is 3"),
    ],
)
def test_an_error_names_the_place(values, says):
    with pytest.raises(InputError, match=says):
        from_values(Outer, values)
