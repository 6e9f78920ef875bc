import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sil import (
    InputError,
    PartialSolutions,
    Solution,
    _native,
    generate_cvrp,
    generate_tsp,
    load_engine,
)
from sil.reconstruct.cut import cut
from tests.strategies import problems, random_solution


def test_costs_are_those_of_the_steps():
    problem = generate_tsp(10)
    runs = PartialSolutions(np.array([[0, 1, 2], [7, 8, 9]], dtype=np.int32))
    expected = [problem.distance(a[:-1], a[1:]).sum() for a in runs.nodes]
    assert runs.costs(problem) == pytest.approx(expected)


def test_costs_go_through_the_depot_where_flagged():
    problem = generate_cvrp(10)
    flags = np.array([[True, False, True]])
    loads = np.zeros(1, dtype=np.int64)
    runs = PartialSolutions(np.array([[1, 2, 3]], dtype=np.int32), flags, loads, loads)
    expected = problem.distance(1, 2) + problem.distance(2, 0) + problem.distance(0, 3)
    assert runs.costs(problem)[0] == pytest.approx(float(expected))


def test_loads_outside_count():
    problem = generate_cvrp(10, capacity=30)
    nodes = np.array([[1, 2, 3]], dtype=np.int32)
    flags, none = np.array([[False, False, False]]), np.zeros(1, dtype=np.int64)
    carried = int(problem.demand[nodes].sum())
    room = np.array([30 - carried])
    assert PartialSolutions(nodes, flags, room, none).fit(problem).all()
    assert not PartialSolutions(nodes, flags, room, none + 1).fit(problem).any()


@given(problems(min_nodes=8), st.integers(0, 99))
def test_picked_and_copied_runs_are_the_same_runs(problem, seed):
    parts = cut(problem, random_solution(problem, seed), 4, np.random.default_rng(seed)).parts
    picked = parts.picked(np.arange(len(parts))[::-1])
    assert np.array_equal(picked.costs(problem)[::-1], parts.costs(problem))
    copy = parts.copy()
    copy.nodes[:] = 0
    assert not np.shares_memory(copy.nodes, parts.nodes)


def test_native_code_writes_into_the_runs():
    problem = generate_tsp(100)
    tour = Solution(np.random.default_rng(0).permutation(100))
    parts = cut(problem, tour, 8, np.random.default_rng(0)).parts.copy()
    before = parts.costs(problem).sum()
    _native.reconstruct_exactly(problem.instance, parts.native(), 1, _native.Interrupt())
    assert parts.costs(problem).sum() < before


def test_whole_numbers_of_any_size_and_layout_are_converted():
    problem = generate_tsp(12)
    nodes = np.arange(24).reshape(2, 12)[:, ::2] % 12  # int64, and not contiguous
    runs = PartialSolutions(nodes)
    assert runs.nodes.dtype == np.int32
    assert load_engine(problem).rebuild(problem, runs).nodes.shape == (2, 6)
    assert PartialSolutions(runs.nodes).nodes is runs.nodes


NODES, FLAGS, LOADS = np.ones((2, 3), dtype=np.int32), np.ones((2, 3), dtype=bool), np.zeros(2, int)


@pytest.mark.parametrize(
    ("arrays", "says"),
    [
        ([NODES.astype(float)], "nodes must be whole numbers"),
        ([None], "nodes must be whole numbers"),
        ([NODES[0]], r"nodes must have shape \(runs, nodes per run\), not \(3,\)"),
        ([NODES[:, :0]], "nodes must have shape"),
        ([NODES - 2], "out of range"),
        ([NODES + np.int64(2**31)], "out of range"),
        ([NODES, FLAGS], "go together"),
        ([NODES, None, LOADS, LOADS], "go together"),
        ([NODES, NODES, LOADS, LOADS], "via_depot must be true and false"),
        ([NODES, FLAGS[:1], LOADS, LOADS], r"via_depot must have shape \(2, 3\), not \(1, 3\)"),
        ([NODES, FLAGS, LOADS + 0.5, LOADS], "load_before must be whole numbers"),
        ([NODES, FLAGS, LOADS, LOADS[:1]], r"load_after must have shape \(2,\), not \(1,\)"),
    ],
)
def test_arrays_of_a_wrong_type_or_shape_are_refused(arrays, says):
    with pytest.raises(InputError, match=says):
        PartialSolutions(*arrays)
