import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sil import InputError, Metric, Problem, generate_cvrp
from sil.validate import clean_name
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
    assert problem.instance.distance(0, 1) == expected


@given(problems())
def test_native_distances_are_the_same(problem):
    for i in range(problem.dimension):
        for j in range(problem.dimension):
            # Both are exact to a few nanometres on the sphere, where they use two formulas.
            expected = problem.distance(i, j)
            if problem.metric is Metric.HAVERSINE:
                expected = pytest.approx(expected, rel=1e-9, abs=1e-7)
            assert problem.instance.distance(i, j) == expected


def test_only_degrees_and_matrices_are_not_planar():
    assert {metric for metric in Metric if not metric.is_planar} == {
        Metric.GEO,
        Metric.HAVERSINE,
        Metric.EXPLICIT,
    }


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


CVRP = {"coords": SQUARE, "demand": [0, 1, 1, 1], "capacity": 3}
DEEP: list = []
for _ in range(100_000):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"coords": [[0, True]]}, "coordinates must be numbers, but one is of type bool"),
        ({"coords": [[0, np.True_]]}, "must be numbers"),
        ({"coords": [[0, "1"]]}, "must be numbers, but one is of type str"),
        ({"coords": [[0, 1j]]}, "must be numbers"),
        ({"coords": [[0, None]]}, "must be numbers"),
        ({"coords": SQUARE.astype(bool)}, "must be numbers, not of type bool"),
        ({"coords": SQUARE.astype(str)}, "must be numbers, not of type <U"),
        ({"coords": SQUARE.astype(complex)}, "must be numbers, not of type complex"),
        ({"coords": SQUARE.astype("M8[s]")}, "must be numbers, not of type datetime64"),
        ({"coords": SQUARE.astype(object)}, "must be numbers, not of type object"),
        ({"coords": np.ma.masked_less(SQUARE, 1)}, "some are masked"),
        ({"coords": [[0, 1], [2]]}, "rows of equal length"),
        ({"coords": [0, [1, 2]]}, "rows of equal length"),
        ({"coords": DEEP}, "rows of equal length"),
        ({"coords": [[0, 10**400]]}, "too large"),
        ({"coords": {"x": 1}}, "must be numbers"),
        ({"coords": SQUARE, "metric": ["EUC_2D"]}, "unknown metric"),
        ({"coords": SQUARE, "metric": np.zeros(3)}, "unknown metric"),
        ({"coords": SQUARE, "metric": "x" * 10_000}, r"unknown metric 'x{59}…'"),
        ({"matrix": [[False]], "metric": "EXPLICIT"}, "distances must be numbers"),
        (CVRP | {"demand": [0, True, 1, 1]}, "demands must be numbers"),
        (CVRP | {"demand": np.ones(4, bool)}, "demands must be numbers"),
        (CVRP | {"demand": ["0", "1", "1", "1"]}, "demands must be numbers"),
        (CVRP | {"capacity": True}, "capacity is True"),
        (CVRP | {"capacity": np.True_}, "capacity is"),
        (CVRP | {"capacity": "3"}, "capacity is '3'"),
        (CVRP | {"capacity": 3 + 0j}, "capacity is"),
        (CVRP | {"capacity": np.complex128(3)}, "capacity is"),
        (CVRP | {"capacity": np.timedelta64(3)}, "capacity is"),
        (CVRP | {"capacity": float("nan")}, "capacity is nan"),
        (CVRP | {"capacity": 2**53}, "below 2"),
        (CVRP | {"capacity": [3]}, "capacity is"),
        ({"coords": SQUARE, "name": 3}, "the name is 3"),
        ({"coords": SQUARE, "name": None}, "the name is None"),
        ({"coords": SQUARE, "name": "x" * 201}, "201 characters"),
        ({"coords": SQUARE, "name": "a\nEOF"}, "cannot be printed"),
        ({"coords": SQUARE, "name": "a\x1b[31m"}, "cannot be printed"),
        ({"coords": SQUARE, "name": "\ud800"}, "cannot be printed"),
    ],
)
def test_what_only_looks_like_numbers_or_names_is_refused(arguments, message):
    with pytest.raises(InputError, match=message) as caught:
        Problem(**arguments)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 400


def test_a_capacity_of_any_size_is_an_error_of_ours():
    with pytest.raises(InputError, match="capacity is a value of type int"):
        Problem(**CVRP | {"capacity": 10**5000})


def test_names_may_hold_what_can_be_printed():
    for name in ("a/b", "../..", "[red]", "$x$", "é 東京", "", "x" * 200):
        assert Problem(SQUARE, name=name).name == name
    assert clean_name("a\x1b\nb") == "a__b"
    assert clean_name("x" * 300) == "x" * 200
    assert clean_name("") == "unnamed"


def test_numbers_of_any_plain_kind_are_fine():
    expected = Problem(SQUARE)
    for kind in ("i1", "u8", "f2", "f4", "g"):
        assert Problem(SQUARE.astype(kind)) == expected
    assert Problem(tuple(map(tuple, SQUARE.tolist()))) == expected
    assert Problem(list(SQUARE)) == expected
    assert Problem(np.ma.masked_array(SQUARE)) == expected
    assert Problem(**CVRP | {"capacity": np.float32(3)}).capacity == 3


def test_total_demand_is_bounded():
    customers, most = 1_025, 2**53 - 1
    coords = np.zeros((customers + 1, 2))
    with pytest.raises(InputError, match=r"the demands add up to 9\.23"):
        Problem(coords, [0] + customers * [most], most)
    with pytest.raises(InputError, match="common factor"):
        Problem(coords[:3], [0, 2**52, 2**52], most)
    problem = Problem(coords[:3], [0, 2**52, 2**52 - 1], 2**52)
    assert problem.fewest_routes == 2


def test_total_cost_is_bounded_where_it_is_exact():
    far = SQUARE * 1e12
    for metric in (Metric.EUC_2D, Metric.CEIL_2D):
        assert Problem(far, metric=metric).is_integral
        with pytest.raises(InputError, match="no longer exact"):
            Problem(np.tile(far, (1_000, 1)), metric=metric)
    assert Problem(np.tile(far, (1_000, 1))).num_nodes == 4_000


def test_total_cost_of_a_matrix_is_bounded_where_it_is_exact(monkeypatch):
    monkeypatch.setattr("sil.problem.EXACT", 600)
    matrix = np.full((3, 3), 100.0)
    with pytest.raises(InputError, match="no longer exact"):
        Problem(matrix=matrix, metric=Metric.EXPLICIT)
    matrix[0, 1] = matrix[1, 0] = 0.5
    assert not Problem(matrix=matrix, metric=Metric.EXPLICIT).is_integral


def test_decimal_degrees_are_no_geo():
    towns = np.array([[52.52, 13.405], [48.8566, 2.3522], [51.5, -0.1276]])
    with pytest.raises(InputError, match=r"node 1 are \[48.8566.*degrees.minutes.*48.30"):
        Problem(towns, metric=Metric.GEO)
    with pytest.raises(InputError, match=r"node 0 are \[12.6"):
        Problem([[12.60, 0.0], [12.0, 0.0]], metric=Metric.GEO)
    for beyond in ([90.01, 0.0], [0.0, 180.01], [-91.0, 0.0]):
        with pytest.raises(InputError, match="latitude and longitude, in this order"):
            Problem([[0.0, 0.0], beyond], metric=Metric.GEO)
    Problem([[90.0, 180.0], [-90.0, -180.0], [0.59, -0.59]], metric=Metric.GEO)


def test_a_few_slips_in_minutes_are_no_proof():
    # ali535 of TSPLIB has three of them in 1,070 numbers.
    coords = np.full((535, 2), 10.30)
    coords[[186, 428, 500], [1, 1, 0]] = 45.80, -24.80, 40.62
    assert Problem(coords, metric=Metric.GEO).num_nodes == 535


def test_distances_of_nodes_that_do_not_exist():
    with pytest.raises(InputError, match="numbers from 0 to 3"):
        Problem(SQUARE).distance(0, 4)
    with pytest.raises(InputError, match="numbers from 0 to 3"):
        Problem(SQUARE).distance(0, 1.5)


@given(problems(min_nodes=5), st.integers(0, 99))
def test_a_subset_has_the_distances_and_demands_of_its_nodes(problem, seed):
    depot = problem.dimension - problem.num_nodes
    drawn = np.random.default_rng(seed).permutation(problem.nodes)[:4]
    nodes = np.concatenate([np.arange(depot), drawn])
    some = problem.subset(nodes)
    assert (some.kind, some.metric, some.name) == (problem.kind, problem.metric, problem.name)
    among = np.arange(len(nodes))
    assert np.array_equal(
        some.distance(among[:, None], among), problem.distance(nodes[:, None], nodes)
    )
    if problem.demand is not None:
        assert np.array_equal(some.demand, problem.demand[nodes])


def test_latitudes_and_longitudes_become_metres_in_a_plane():
    problem = Problem([[45, 7], [45.1, 7.1], [45, 7.2]], metric="HAVERSINE", detour=1.2)
    flat = problem.with_metric("EUCLIDEAN")
    assert flat.detour == 1
    assert flat.distance(0, [1, 2]) == pytest.approx(problem.distance(0, [1, 2]), rel=1e-4)


def test_degrees_and_minutes_become_decimal_degrees():
    problem = Problem([[48.30, 7.0], [49.0, 8.15]], metric="GEO")
    decimal = problem.with_metric(Metric.HAVERSINE)
    assert decimal.coords == pytest.approx(np.array([[48.5, 7.0], [49.0, 8.25]]), rel=1e-5)
    with pytest.raises(InputError, match="HAVERSINE only"):
        problem.with_metric("EUC_2D")


def test_a_matrix_keeps_its_metric():
    with pytest.raises(InputError, match="belongs to a matrix"):
        Problem(matrix=np.zeros((2, 2)), metric="EXPLICIT").with_metric("EUC_2D")


def test_names_travel_with_the_nodes():
    problem = Problem(SQUARE, names=["a", "b", "c", "d"][: len(SQUARE)])
    assert problem.subset([2, 0]).names.tolist() == ["c", "a"]
    assert problem.name_of(1) == "b"
    assert problem != Problem(SQUARE)
    assert Problem(SQUARE).name_of(1) == "1"


@pytest.mark.parametrize(
    "names", [["a"], [1, 2, 3, 4], ["a", "b", "c", "\n"], ["a" * 201] * 4, "abcd"]
)
def test_names_must_be_printable_texts_one_for_each_node(names):
    with pytest.raises(InputError, match="name"):
        Problem(SQUARE, names=names)


def test_one_argument_can_be_replaced():
    problem = generate_cvrp(20)
    roomy = problem.replace(capacity=1_000)
    assert roomy.capacity == 1_000
    assert np.array_equal(roomy.demand, problem.demand)
    with pytest.raises(InputError):
        problem.replace(capacity=0)
