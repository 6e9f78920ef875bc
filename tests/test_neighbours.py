import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sil
from sil import Problem, generate_cvrp, generate_tsp
from sil._native import Interrupt
from sil.errors import StoppedError
from sil.neighbours import nearest, nearest_to_visit, spread
from tests.strategies import problems


def nearest_distances(problem, node, among, count):
    """Return the smallest distances from a node to others, by looking at all of them."""
    return np.sort(problem.distance(node, among[among != node]))[:count]


@given(problems(min_nodes=2), st.integers(1, 30), st.booleans())
def test_neighbours_are_the_nearest_others(problem, count, with_depot):
    everywhere = np.arange(problem.dimension)
    among = everywhere if with_depot else problem.nodes
    found = (nearest if with_depot else nearest_to_visit)(problem, count).lists
    assert found.shape == (problem.dimension, min(count, len(among) - 1))
    for node in among:
        row = found[node]
        assert node not in row
        assert np.isin(row, among).all()
        assert len(set(row.tolist())) == len(row)
        # A spherical distance is not exactly monotone in the straight one that the tree compares.
        tolerance = 1 if problem.metric == "GEO" else 0
        expected = nearest_distances(problem, node, among, len(row))
        assert np.allclose(problem.distance(node, row), expected, atol=tolerance)


def test_a_single_node_has_no_neighbours():
    assert nearest(generate_tsp(1), 5).lists.shape == (1, 0)


def test_lists_are_found_once_and_shared():
    problem = generate_cvrp(2_000)
    interrupt = Interrupt()
    wide = nearest(problem, 30).lists
    interrupt.set()  # what is known is there all the same
    assert np.array_equal(nearest(problem, 10, interrupt).lists, wide[:, :10])
    with pytest.raises(StoppedError):
        nearest(problem, 300, interrupt)


def test_a_start_finds_the_lists_that_the_search_will_ask_for():
    problem = generate_cvrp(500)
    sil.method_named("search", problem)
    sil.construct(problem, "sweep")
    interrupt = Interrupt()
    interrupt.set()
    assert nearest_to_visit(problem, 40).width == 40
    assert nearest(problem, 41, interrupt).width == 41


def test_renumbered_lists_are_those_of_the_renumbered_problem():
    problem = generate_tsp(300)
    order = np.random.default_rng(0).permutation(problem.nodes)
    near = nearest(problem, 6)
    renumbered = near.renumbered(order, False, 6, 2, Interrupt())
    other = Problem(problem.coords[order])
    assert np.array_equal(renumbered.lists, nearest(other, 6).lists)
    assert np.array_equal(
        problem.instance.renumbered(order).nearest(6, 1, Interrupt()).lists, renumbered.lists
    )


def test_spread_neighbours_lie_on_all_sides_of_a_cluster():
    rng = np.random.default_rng(0)
    cluster, ring = rng.random((12, 2)) * 0.01, 0.5 * np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
    problem = Problem(np.concatenate([[[0.02, 0.02]], cluster, ring]))
    found = spread(problem, 8).lists
    assert not np.isin(nearest(problem, 8).lists[0], [13, 14, 15, 16]).any()
    assert np.isin([13, 14, 16], found[0]).all()  # the cluster itself lies towards the fourth


@given(problems(min_nodes=2), st.integers(1, 9))
def test_spread_neighbours_are_others_nearest_first(problem, count):
    found = spread(problem, count).lists
    assert found.shape == (problem.dimension, min(count, problem.num_nodes - 1))
    for node in problem.nodes:
        row = found[node]
        assert node not in row
        assert len(set(row)) == len(row)
        assert (np.diff(problem.distance(node, row)) >= -1e-9).all()


def test_an_interrupt_stops_the_search_for_neighbours():
    interrupt = Interrupt()
    interrupt.set()
    for find in (nearest, nearest_to_visit, spread):
        with pytest.raises(StoppedError):
            find(generate_tsp(100), 5, interrupt)


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
def test_neighbours_in_a_crowd_are_nearest_and_do_not_depend_on_the_threads(kind, metric):
    problem = Problem(0.5 * crowded(kind, 2_000), metric=metric)  # GEO: less than 60 minutes
    found = nearest(problem, 9).lists
    again = Problem(problem.coords, metric=metric)
    assert np.array_equal(found, nearest(again, 9, threads=3).lists)
    itself = np.arange(len(found))
    assert (found != itself[:, None]).all()
    assert (np.diff(np.sort(found, axis=1), axis=1) > 0).all()
    for i in itself[::97]:
        expected = np.sort(np.delete(problem.distance(i, problem.nodes), i))[:9]
        assert np.allclose(problem.distance(i, found[i]), expected, rtol=1e-9, atol=0)


def test_equal_points_have_different_neighbours():
    # Were they the same for all, starts that join neighbours would join but few at a time.
    problem = Problem(np.ones((10_000, 2)))
    chosen = np.bincount(nearest(problem, 8).lists.ravel(), minlength=10_000)
    assert chosen.max() <= 64


def test_neighbours_equally_far_come_by_number():
    problem = Problem([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1]], metric="EUC_2D")
    assert nearest(problem, 4).lists[0].tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("kind", CROWDS)
def test_a_crowd_does_not_take_long(kind):
    problem = Problem(crowded(kind, 100_000))
    interrupt = Interrupt()
    interrupt.expire_in(20)  # it takes a second; a search that compares all pairs, minutes
    assert nearest(problem, 24, interrupt, 2).lists.shape == (100_000, 24)


def test_a_deadline_holds_inside_the_search_for_neighbours():
    problem = generate_tsp(500_000)
    interrupt = Interrupt()
    interrupt.expire_in(0.05)
    with pytest.raises(StoppedError):
        nearest(problem, 40, interrupt)
