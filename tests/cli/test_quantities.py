import pytest

from sil import InputError, Problem
from sil.cli.quantities import duration, length, speed

EARTH = Problem([[45, 7], [46, 7]], metric="HAVERSINE")
PLANE = Problem([[0, 0], [3, 4]])


@pytest.mark.parametrize(
    ("read", "text", "expected"),
    [
        (length, "250km", 250_000),
        (length, "1.5 mi", 2414.016),
        (length, "800 m", 800),
        (duration, "8h", 28_800),
        (duration, "8h30", 30_600),
        (duration, "8 h 30 min", 30_600),
        (duration, "90s", 90),
        (speed, "36km/h", 10),
        (speed, "10 m/s", 10),
        (speed, "60 MPH", 26.8224),
    ],
)
def test_quantities_as_people_write_them(read, text, expected):
    assert read(text, EARTH, "--option") == pytest.approx(expected)


def test_a_plane_has_numbers_only():
    assert length("12.5", PLANE, "--max-distance") == 12.5
    with pytest.raises(InputError, match="no unit: give a number alone"):
        length("12km", PLANE, "--max-distance")


@pytest.mark.parametrize("text", ["250", "8x", "km", "", "-5km", "5km3", "1e3km", "5 furlongs"])
def test_unclear_quantities_are_refused(text):
    with pytest.raises(InputError, match="--max-distance is"):
        length(text, EARTH, "--max-distance")
