import pytest

from sil import InputError
from sil.io.headings import is_header, roles


def test_usual_spellings_are_understood_in_any_order():
    assert roles(["LÄNGE", "Stop ID", "Breite", "Menge"]) == {
        "lon": 0,
        "id": 1,
        "lat": 2,
        "demand": 3,
    }
    assert roles(["x_coord", "Y-Coord", "phone"]) == {"x": 0, "y": 1}


def test_a_header_has_a_pair_of_coordinates():
    assert is_header(["lng", "latitude"])
    assert not is_header(["lat", "y"])
    assert not is_header(["lat,lon"])


@pytest.mark.parametrize("heading", ["time window", "TW_start", "ready time", "skills", "Pickup"])
def test_what_cannot_be_respected_is_refused(heading):
    with pytest.raises(InputError, match="not supported"):
        roles(["x", "y", heading])
