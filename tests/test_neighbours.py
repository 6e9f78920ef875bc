import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sil import Problem, generate_tsp
from sil._native import Interrupt
from sil.errors import StoppedError
from sil.neighbours import nearest, spread
from tests.strategies import problems


@given(problems(min_nodes=2), st.integers(1, 30))
def test_neighbours_are_the_nearest_others(problem, count):
    among = problem.nodes
    found = nearest(problem, among, count)
    assert found.shape == (len(among), min(count, len(among) - 1))
    for i, row in enumerate(found):
        assert i not in row
        assert len(set(row.tolist())) == len(row)
        distances = np.sort(np.delete(problem.distance(among[i], among), i))
        got = problem.distance(among[i], among[row])
        # A spherical distance is not exactly monotone in the straight one that the tree compares.
        assert np.allclose(got, distances[: len(row)], atol=1 if problem.metric == "GEO" else 0)


def test_among_is_a_choice_of_nodes():
    problem = generate_tsp(50)
    among = np.array([3, 30, 17, 4], dtype=np.int32)
    found = nearest(problem, among, 1)[:, 0]
    for i, j in enumerate(found):
        others = np.delete(np.arange(4), i)
        best = others[np.argmin(problem.distance(among[i], among[others]))]
        assert j == best


def test_a_single_node_has_no_neighbours():
    assert nearest(generate_tsp(1), np.array([0], dtype=np.int32), 5).shape == (1, 0)


def test_spread_neighbours_lie_on_all_sides_of_a_cluster():
    rng = np.random.default_rng(0)
    cluster, ring = rng.random((12, 2)) * 0.01, 0.5 * np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
    problem = Problem(np.concatenate([[[0.02, 0.02]], cluster, ring]))
    found = spread(problem, problem.nodes, 8)
    assert not np.isin(nearest(problem, problem.nodes, 8)[0], [13, 14, 15, 16]).any()
    assert np.isin([13, 14, 16], found[0]).all()  # the cluster itself lies towards the fourth


@given(problems(min_nodes=2), st.integers(1, 9))
def test_spread_neighbours_are_others_nearest_first(problem, count):
    found = spread(problem, problem.nodes, count)
    assert found.shape == (problem.num_nodes, min(count, problem.num_nodes - 1))
    for node, row in zip(problem.nodes, problem.nodes[found], strict=True):
        assert node not in row
        assert len(set(row)) == len(row)
        assert (np.diff(problem.distance(node, row)) >= -1e-9).all()


def test_an_interrupt_stops_the_search_for_neighbours():
    interrupt = Interrupt()
    interrupt.set()
    problem = generate_tsp(100)
    for find in (nearest, spread):
        with pytest.raises(StoppedError):
            find(problem, problem.nodes, 5, interrupt)


def crowded(kind: str, size: int) -> np.ndarray:
    """Points so near each other that few trees or grids can tell them apart."""
    points = np.random.default_rng(0).random((size, 2))
    if kind == "half equal":
        points[::2] = 0.25
    return {
        "equal": np.full((size, 2), 0.25),
        "half equal": points,
        "no distance": points * 1e-300,
        "jittered": 0.5 + 1e-9 * points,
        "line": points * [1, 0],
    }[kind]


CROWDS = ["equal", "half equal", "no distance", "jittered", "line"]


@pytest.mark.parametrize("metric", ["EUCLIDEAN", "GEO"])
@pytest.mark.parametrize("kind", CROWDS)
def test_neighbours_in_a_crowd_are_nearest_and_do_not_hang_on_the_threads(kind, metric):
    problem = Problem(0.5 * crowded(kind, 2_000), metric=metric)  # GEO: less than 60 minutes
    found = nearest(problem, problem.nodes, 9)
    assert np.array_equal(found, nearest(problem, problem.nodes, 9, threads=3))
    itself = np.arange(len(found))
    assert (found != itself[:, None]).all()
    assert (np.diff(np.sort(found, axis=1), axis=1) > 0).all()
    for i in itself[::97]:
        expected = np.sort(np.delete(problem.distance(i, problem.nodes), i))[:9]
        assert np.allclose(problem.distance(i, found[i]), expected, rtol=1e-9, atol=0)


def test_equal_points_have_different_neighbours():
    # Were they the same for all, starts that join neighbours would join but few at a time.
    problem = Problem(np.ones((10_000, 2)))
    chosen = np.bincount(nearest(problem, problem.nodes, 8).ravel(), minlength=10_000)
    assert chosen.max() <= 64


def test_neighbours_equally_far_come_by_number():
    problem = Problem([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1]], metric="EUC_2D")
    assert nearest(problem, problem.nodes, 4)[0].tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("kind", CROWDS)
def test_a_crowd_does_not_take_long(kind):
    problem = Problem(crowded(kind, 100_000))
    interrupt = Interrupt()
    interrupt.expire_in(20)  # it takes a second; a search that compares all pairs, minutes
    assert nearest(problem, problem.nodes, 24, interrupt, 2).shape == (100_000, 24)


def test_a_deadline_holds_inside_the_search_for_neighbours():
    problem = generate_tsp(500_000)
    interrupt = Interrupt()
    interrupt.expire_in(0.05)
    with pytest.raises(StoppedError):
        nearest(problem, problem.nodes, 40, interrupt)
