import numpy as np
import pytest

from sil import Metric, Problem, generate_tsp
from sil.bench.peers.scaled import LARGEST, scaled_coords, whole_distances


def test_coordinates_fill_an_integer_grid():
    problem = generate_tsp(300)
    coords = scaled_coords(problem, 1000)
    assert coords.dtype == np.int64
    assert coords.min() == 0
    assert coords.max() == 1000
    shape = (problem.coords - problem.coords.min(axis=0)) / np.ptp(problem.coords, axis=0).max()
    assert np.abs(coords / 1000 - shape).max() <= 0.0005 + 1e-12


def test_nodes_in_one_place_are_placed_at_the_origin():
    assert not scaled_coords(Problem([[3.0, 4.0]] * 5)).any()


@pytest.mark.parametrize("size", [5, 300])
def test_unrounded_distances_are_scaled(size):
    problem = generate_tsp(size)
    matrix = whole_distances(problem)
    nodes = problem.nodes
    exact = problem.distance(nodes[:, None], nodes[None, :])
    scale = LARGEST / np.ptp(problem.coords, axis=0).max()
    assert np.abs(matrix - exact * scale).max() <= 0.5 + 1e-6


def test_rounded_distances_stay_as_they_are():
    problem = Problem((1000 * generate_tsp(40).coords).round(), metric=Metric.EUC_2D)
    nodes = problem.nodes
    assert (whole_distances(problem) == problem.distance(nodes[:, None], nodes[None, :])).all()


def test_a_matrix_that_does_not_fit_says_how_large_it_would_be(monkeypatch):
    def no_memory(*_, **__):
        raise MemoryError

    problem = generate_tsp(50)
    monkeypatch.setattr("sil.bench.peers.scaled.np.empty", no_memory)
    with pytest.raises(MemoryError, match=r"would need 0\.0 GiB"):
        whole_distances(problem)
