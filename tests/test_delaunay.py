"""Native triangulation and the lists of candidates made from it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sil import Interrupt, Metric, Problem
from sil._native import Neighbours, triangulate
from sil.neighbours import nearest


def edges(points, threads=1):
    first, others = triangulate(np.ascontiguousarray(points, dtype=float), threads, Interrupt())
    assert len(first) == len(points) + 1
    origins = np.repeat(np.arange(len(points)), np.diff(first))
    return set(zip(origins.tolist(), others.tolist(), strict=True))


def crosses(a, b, c, d):
    def side(p, q, r):
        return np.sign((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]))

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


@pytest.mark.parametrize("seed", range(10))
def test_is_the_triangulation_that_scipy_finds(seed):
    spatial = pytest.importorskip("scipy.spatial")
    rng = np.random.default_rng(seed)
    points = rng.uniform(size=(rng.integers(3, 2000), 2))
    first, others = spatial.Delaunay(points).vertex_neighbor_vertices
    origins = np.repeat(np.arange(len(points)), np.diff(first))
    assert edges(points) == set(zip(origins.tolist(), others.tolist(), strict=True))


def test_does_not_depend_on_the_threads():
    points = np.random.default_rng(0).normal(size=(20_000, 2))
    assert edges(points, 1) == edges(points, 3)


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=25))
def test_points_on_a_grid_give_a_whole_planar_graph_in_both_directions(cells):
    points = np.array(cells, dtype=float)
    found = edges(points)
    assert all((b, a) in found and a != b for a, b in found)
    distinct = len(set(cells))
    single = [(a, b) for a, b in found if a < b]
    assert len(single) <= max(distinct - 1, 3 * distinct - 6)
    for i, (a, b) in enumerate(single):
        for c, d in single[i + 1 :]:
            assert not crosses(points[a], points[b], points[c], points[d])
    # Connected: all distinct points are reached from any of them.
    reached, todo = set(), [next((a for a, _ in single), 0)]
    while todo:
        node = todo.pop()
        if node not in reached:
            reached.add(node)
            todo += [b for a, b in found if a == node]
    assert len(reached) == distinct


def test_equal_points_and_points_in_a_line():
    assert edges(np.ones((5, 2))) == set()
    line = np.column_stack([np.arange(9), np.zeros(9)])
    assert edges(line) == {(i, j) for i in range(9) for j in range(9) if abs(i - j) == 1}
    assert edges(line[:, ::-1]) == edges(line)


def test_is_quick_to_stop():
    interrupt = Interrupt()
    interrupt.set()
    assert triangulate(np.random.default_rng(0).uniform(size=(1000, 2)), 1, interrupt) is None


def candidates(problem, width):
    return problem.instance.candidates(nearest(problem, width), 1, Interrupt())


@pytest.mark.parametrize("metric", [Metric.EUCLIDEAN, Metric.EUC_2D, Metric.GEO])
def test_candidates_are_other_nodes_nearest_first(metric):
    points = np.round(np.random.default_rng(1).uniform(0, 80, size=(300, 2)))
    problem = Problem(points, metric=metric)
    lists = candidates(problem, 10).lists.lists
    for node, row in enumerate(lists):
        assert node not in row
        assert len(set(row)) == 10
        distances = problem.distance(np.full(10, node), row)
        assert np.all(np.diff(distances) >= 0)


def test_candidates_see_the_other_cluster():
    """The nearest nodes all lie in the node's own cluster; some candidate does not."""
    rng = np.random.default_rng(2)
    points = np.concatenate([rng.normal(size=(100, 2)), rng.normal(size=(100, 2)) + 50])
    problem = Problem(points)
    cluster = np.arange(200) // 100

    def seen_across(lists):
        return bool(np.any(cluster[lists] != cluster[:, None]))

    found = candidates(problem, 12)
    assert not seen_across(nearest(problem, 12).lists)
    assert seen_across(found.lists.lists)
    around = (found.around[:, None] >> np.arange(12)) & 1
    joined = edges(points)
    assert all(
        ((node, int(other)) in joined) == bool(around[node, k])
        for node in range(200)
        for k, other in enumerate(found.lists.lists[node])
    )


def test_candidates_of_a_matrix_are_the_nearest():
    rng = np.random.default_rng(3)
    matrix = rng.integers(1, 100, size=(30, 30)).astype(float)
    matrix = matrix + matrix.T
    np.fill_diagonal(matrix, 0)
    problem = Problem(matrix=matrix, metric=Metric.EXPLICIT)
    found = candidates(problem, 8)
    assert np.array_equal(found.lists.lists, nearest(problem, 8).lists)
    assert not np.any(found.around)


def test_candidates_need_lists_of_the_same_problem_and_of_a_width_that_fits():
    problem = Problem(np.random.default_rng(4).uniform(size=(50, 2)))
    other = Problem(np.random.default_rng(4).uniform(size=(51, 2)))
    with pytest.raises(ValueError, match="a list for each node"):
        problem.instance.candidates(nearest(other, 8), 1, Interrupt())
    with pytest.raises(ValueError, match="at most 32"):
        problem.instance.candidates(nearest(problem, 33), 1, Interrupt())


def test_lists_that_repeat_a_node_are_filled_all_the_same():
    problem = Problem(np.random.default_rng(5).uniform(size=(50, 2)))
    repeated = Neighbours(np.repeat(nearest(problem, 1).lists, 16, axis=1))
    lists = problem.instance.candidates(repeated, 1, Interrupt()).lists.lists
    assert lists.shape == (50, 16)
    assert lists.min() >= 0
    assert lists.max() < 50
