import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sil import generate_tsp
from sil.neighbours import nearest
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
