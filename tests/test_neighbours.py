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
