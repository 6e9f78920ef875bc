import numpy as np
import pytest
from hypothesis import given

from sil import InputError, Metric, Problem
from tests.strategies import problems

SQUARE = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]])


@pytest.mark.parametrize(
    ("metric", "to", "expected"),
    [
        (Metric.EUCLIDEAN, (1.5, 2.0), 2.5),
        (Metric.EUC_2D, (1.5, 2.0), 3),  # 2.5 rounds up, not to even
        (Metric.EUC_2D, (1.0, 1.0), 1),
        (Metric.CEIL_2D, (1.0, 1.0), 2),
        (Metric.CEIL_2D, (3.0, 4.0), 5),
        (Metric.ATT, (10.0, 0.0), 4),  # sqrt(100 / 10) = 3.16
        (Metric.ATT, (1.0, 3.0), 1),  # sqrt(10 / 10) is whole already
        (Metric.GEO, (1.0, 0.0), 112),  # one degree of latitude: 111.3 km, plus 1, truncated
        (Metric.GEO, (0.30, 0.0), 56),  # thirty minutes, not 0.3 degrees
    ],
)
def test_distances_follow_tsplib(metric, to, expected):
    problem = Problem(np.array([(0.0, 0.0), to]), metric=metric)
    assert problem.distance(0, 1) == expected
    assert problem.geometry.distance(0, 1) == expected


@given(problems())
def test_native_distances_are_the_same(problem):
    for i in range(problem.dimension):
        for j in range(problem.dimension):
            assert problem.geometry.distance(i, j) == problem.distance(i, j)


@given(problems())
def test_distances_are_symmetric_and_zero_to_itself(problem):
    nodes = np.arange(problem.dimension)
    matrix = problem.distance(nodes[:, None], nodes[None, :])
    assert np.array_equal(matrix, matrix.T)
    assert (matrix >= 0).all()
    assert (np.diag(matrix) == 0).all()
    if problem.is_integral:
        assert np.array_equal(matrix, np.rint(matrix))


def test_a_problem_cannot_be_changed():
    coords = SQUARE.copy()
    problem = Problem(coords)
    coords[0, 0] = 99
    assert problem.coords[0, 0] == 0
    with pytest.raises(ValueError, match="read-only"):
        problem.coords[0, 0] = 1
    with pytest.raises(AttributeError):
        problem.name = "other"


def test_depot_does_not_count_as_a_node():
    cvrp = Problem(SQUARE, [0, 1, 1, 1], 2)
    assert (cvrp.kind, cvrp.num_nodes, cvrp.dimension) == ("CVRP", 3, 4)
    assert cvrp.nodes.tolist() == [1, 2, 3]
    assert Problem(SQUARE).nodes.tolist() == [0, 1, 2, 3]


def test_equality_compares_everything():
    assert Problem(SQUARE) == Problem(SQUARE.copy())
    assert Problem(SQUARE) != Problem(SQUARE, metric=Metric.EUC_2D)
    assert Problem(SQUARE) != Problem(SQUARE * 2)
    assert Problem(SQUARE, [0, 1, 1, 1], 2) != Problem(SQUARE, [0, 1, 1, 1], 3)
    assert Problem(SQUARE, name="a") != Problem(SQUARE, name="b")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "needs coordinates"),
        ({"coords": np.zeros((0, 2))}, "no nodes"),
        ({"coords": np.zeros((3, 3))}, "shape"),
        ({"coords": [["a", "b"]]}, "must be numbers"),
        ({"coords": [[0, np.nan]]}, "node 0"),
        ({"coords": [[0, 0], [np.inf, 0]]}, "node 1"),
        ({"coords": [[0, 1e13]]}, "at most 1e"),
        ({"coords": SQUARE, "metric": "MANHATTAN"}, "unknown metric"),
        ({"coords": SQUARE, "metric": "EXPLICIT"}, "go together"),
        ({"coords": SQUARE, "matrix": np.zeros((4, 4))}, "go together"),
        ({"matrix": np.zeros((2, 3)), "metric": "EXPLICIT"}, "square"),
        ({"matrix": [[0, 1], [2, 0]], "metric": "EXPLICIT"}, "only symmetric"),
        ({"matrix": [[0, -1], [-1, 0]], "metric": "EXPLICIT"}, "not negative"),
        ({"coords": SQUARE, "matrix": np.zeros((2, 2)), "metric": "EXPLICIT"}, "do not fit"),
        ({"coords": SQUARE, "demand": [0, 1, 1, 1]}, "go together"),
        ({"coords": SQUARE, "capacity": 3}, "go together"),
        ({"coords": SQUARE, "demand": [0, 1, 1], "capacity": 3}, "shape"),
        ({"coords": SQUARE, "demand": [1, 1, 1, 1], "capacity": 3}, "depot"),
        ({"coords": SQUARE, "demand": [0, 1, -1, 1], "capacity": 3}, "node 2"),
        ({"coords": SQUARE, "demand": [0, 1, 1.5, 1], "capacity": 3}, "scale all demands"),
        ({"coords": SQUARE, "demand": [0, 1, 9, 1], "capacity": 3}, "no vehicle can serve it"),
        ({"coords": SQUARE, "demand": [0, 1, 1, 1], "capacity": 0}, "above 0"),
        ({"coords": SQUARE, "demand": [0, 1, 1, 1], "capacity": 2.5}, "whole number"),
        ({"coords": SQUARE[:1], "demand": [0], "capacity": 3}, "no customers"),
    ],
)
def test_bad_input_is_refused_with_a_reason(arguments, message):
    with pytest.raises(InputError, match=message):
        Problem(**arguments)


def test_layout_of_a_matrix_keeps_distances_of_points_in_a_plane():
    rng = np.random.default_rng(0)
    plane = Problem(rng.random((20, 2)))
    nodes = plane.nodes
    matrix = plane.distance(nodes[:, None], nodes[None, :])
    laid_out = Problem(Problem(matrix=matrix, metric=Metric.EXPLICIT).layout)
    assert np.allclose(laid_out.distance(nodes[:, None], nodes[None, :]), matrix, atol=1e-6)
