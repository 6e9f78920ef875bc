import inspect
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sil
from sil import _native
from tests.strategies import problems, random_solution


def test_the_stub_is_that_of_the_module(tmp_path):
    fresh = tmp_path / "_native.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "sil._native", "-o", fresh]
    subprocess.run(command, check=True)
    subprocess.run([sys.executable, "-m", "ruff", "format", "-q", fresh], check=True)
    committed = Path(inspect.getfile(sil)).with_name("_native.pyi").read_text()

    def words(text: str) -> list[str]:
        return text.replace(",", " ").replace("(", " ( ").split()

    assert words(fresh.read_text()) == words(committed), "run `make stubs`"


def test_hilbert_keys_step_from_cell_to_cell():
    grid = np.stack(np.meshgrid(np.arange(32.0), np.arange(32.0)), axis=-1).reshape(-1, 2)
    path = grid[np.argsort(_native.hilbert_keys(grid))]
    assert (np.abs(np.diff(path, axis=0)).sum(axis=1) == 1).all()


def test_hilbert_keys_of_equal_points_and_of_none():
    assert len(set(_native.hilbert_keys(np.ones((5, 2))).tolist())) == 1
    assert _native.hilbert_keys(np.ones((0, 2))).size == 0


def test_wrong_arrays_are_refused():
    with pytest.raises(ValueError, match="two columns"):
        _native.hilbert_keys(np.ones((3, 3)))
    with pytest.raises(ValueError, match="needs coordinates"):
        _native.Instance(_native.Metric.ATT)
    with pytest.raises(IndexError):
        sil.generate_tsp(3).instance.distance(0, 3)


def test_interrupts_are_set_by_hand_or_by_time():
    interrupt = _native.Interrupt()
    interrupt.expire_in(1e300)
    assert not interrupt.is_set()
    interrupt.expire_in(0)
    assert interrupt.is_set()
    assert not interrupt.requested
    interrupt.set()
    assert interrupt.requested


def test_an_interrupt_is_set_with_its_parent_but_not_the_other_way_round():
    parent = _native.Interrupt()
    child, brother = _native.Interrupt(parent), _native.Interrupt(parent)
    child.expire_in(0)
    assert child.is_set()
    assert not parent.is_set()
    assert not brother.is_set()
    parent.set()
    assert brother.is_set()
    assert brother.requested


def test_a_parent_sees_how_far_the_work_of_its_child_is():
    problem = sil.generate_tsp(400)
    parent = _native.Interrupt()
    child = _native.Interrupt(_native.Interrupt(parent))
    parts = _native.PartialSolutions(np.reshape(problem.nodes, (100, 4)).copy())
    _native.reconstruct_exactly(problem.instance, parts, 2, child)
    assert child.fraction == parent.fraction == 1


def test_a_matrix_lives_as_long_as_its_instances():
    matrix = np.ones((300, 300), dtype=np.float32) - np.eye(300, dtype=np.float32)
    layout, order = np.zeros((300, 2)), np.arange(300, dtype=np.int32)
    # A copy in doubles is made, and another instance refers to it.
    instance = _native.Instance(_native.Metric.EXPLICIT, None, matrix, layout).renumbered(order)
    del matrix
    other = np.full((300, 300), 7.0)  # where a copy not kept would have been
    assert instance.distance(0, 299) == 1
    assert other[0, 299] == 7


@given(problems(), st.integers(0, 99))
def test_native_costs_are_those_of_python(problem, seed):
    solution = random_solution(problem, seed)
    cost = problem.instance.cost(solution.native())
    assert cost == pytest.approx(solution.cost(problem), rel=1e-12)
    assert not problem.is_integral or cost == solution.cost(problem)


@pytest.mark.parametrize("width", [0, 1, 2])
@pytest.mark.parametrize(
    ("start", "hub"), [(_native.greedy_edge, []), (_native.savings, [[50.0, 0]])]
)
def test_paths_are_joined_even_if_lists_of_neighbours_are_short(start, hub, width):
    # Two paths of two nodes: the end nearest to each end is the other end of its own path.
    coords = np.array([*hub, [0.0, 0], [0, 1], [100, 0], [100, 1]])
    instance = _native.Instance(_native.Metric.EUCLIDEAN, coords)
    interrupt = _native.Interrupt()
    interrupt.expire_in(5)
    near = instance.nearest(width, 1, interrupt)
    routes = start(instance, near, 1, interrupt)
    assert routes is not None, "it took too long"
    assert sorted(routes.nodes) == list(range(len(coords)))


def test_routes_give_back_what_they_were_made_of_and_outlive_nothing():
    nodes = _native.Routes(np.array([3, 1, 2], dtype=np.int32), np.array([0, 2], dtype=np.int32))
    kept = nodes.nodes
    starts = nodes.starts
    del nodes
    assert (kept.tolist(), starts.tolist()) == ([3, 1, 2], [0, 2])
    assert not kept.flags.writeable
