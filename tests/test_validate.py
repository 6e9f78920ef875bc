import numpy as np
import pytest

from sil.errors import InputError
from sil.validate import (
    LONGEST_NAME,
    clean_name,
    numbers,
    real_number,
    validated_capacity,
    validated_coords,
    validated_demand,
    validated_matrix,
    validated_name,
    whole_number,
    whole_numbers,
)


def test_names_are_printable_and_not_too_long():
    assert validated_name("Küste 1") == "Küste 1"
    for bad in ("a\nb", "\x1b[31m", "x" * (LONGEST_NAME + 1), 3, None):
        with pytest.raises(InputError, match="the name"):
            validated_name(bad)


def test_any_text_can_be_cleaned_into_a_name():
    for text in ("a\nb", "", "x" * 1000, "\ud800"):
        assert validated_name(clean_name(text))
    assert clean_name("a\nb") == "a_b"
    assert clean_name("") == "unnamed"


def test_numbers_are_copied():
    given = np.array([1.0, 2.0])
    found = numbers(given, "costs")
    found[0] = 9
    assert given[0] == 1
    assert numbers([1, 2.5], "costs").tolist() == [1.0, 2.5]


@pytest.mark.parametrize(
    "values", [[True], ["1"], [[1, 2], [3]], [None], np.array(["a"]), np.ma.array([1], mask=[True])]
)
def test_what_only_looks_like_numbers_is_refused(values):
    with pytest.raises(InputError, match="costs"):
        numbers(values, "costs")


def test_whole_numbers():
    assert whole_number(np.int8(3), "the size") == 3
    for bad in (True, 2.0, "2", None):
        with pytest.raises(InputError, match="the size"):
            whole_number(bad, "the size")
    assert whole_numbers([1, 2], "nodes").tolist() == [1, 2]
    for bad in ([1.5], [True], ["1"], [2**70]):
        with pytest.raises(InputError, match="nodes"):
            whole_numbers(bad, "nodes")


@pytest.mark.parametrize(
    "matrix",
    [[[0, 1], [2, 0]], [[0, 1, 2], [1, 0, 2]], [[0, -1], [-1, 0]], [[0, np.inf], [np.inf, 0]], []],
)
def test_matrices_are_square_symmetric_and_not_negative(matrix):
    with pytest.raises(InputError):
        validated_matrix(matrix)


def test_the_diagonal_of_a_matrix_does_not_matter():
    assert validated_matrix([[5, 1], [1, np.nan]]).tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize("coords", [[], [[1, 2, 3]], [1, 2], [[0, np.nan]], [[0, 1e13]]])
def test_coordinates_are_points_in_the_plane(coords):
    with pytest.raises(InputError):
        validated_coords(coords)


@pytest.mark.parametrize(
    "demand", [[0, 1], [0, 1, -1], [0, 1, 1.5], [1, 1, 1], [0, 2**52, 2**52], [0, np.nan, 1]]
)
def test_demands_are_whole_numbers_with_a_zero_for_the_depot(demand):
    with pytest.raises(InputError, match="demand"):
        validated_demand(demand, 3)


def test_a_vehicle_can_serve_every_customer():
    demand = validated_demand([0, 3, 4], 3)
    assert validated_capacity(4.0, demand) == 4
    for bad in (3, 4.5, 0, -1, True, "4", np.inf, 2**53):
        with pytest.raises(InputError, match="capacity"):
            validated_capacity(bad, demand)


def test_a_real_number_is_no_text_and_no_truth_value():
    assert real_number(2, "x") == 2.0
    assert real_number(np.float32(0.5), "x") == 0.5
    for bad in ("1", None, True, [1], 1j):
        with pytest.raises(InputError, match="x must be a number"):
            real_number(bad, "x")
    with pytest.raises(InputError, match="x is too large"):
        real_number(10**400, "x")
