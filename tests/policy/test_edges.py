"""Lists of likely edges, and the files of the network that makes them."""

import numpy as np
import pytest

import sil
from sil import Interrupt
from sil._native import EDGE_CANDIDATES, EdgeNetwork
from sil.errors import InputError, StoppedError
from sil.neighbours import nearest
from sil.policy.edges import (
    all_around,
    likely_edges,
    load_layers,
    save_layers,
    shipped_network,
)
from tests.policy.test_edge_network import random_weights


def lists_of(make, problem):
    near = nearest(problem, EDGE_CANDIDATES)
    return make(problem.instance, near, 1, Interrupt()).lists


def share_held(lists, tour):
    beside = [np.roll(tour, 1), np.roll(tour, -1)]
    return np.mean([(lists[tour] == other[:, None]).any(axis=1) for other in beside])


@pytest.fixture(scope="module")
def layers():
    return random_weights(np.random.default_rng(0), hidden=128)


def test_layers_are_written_and_read(tmp_path, layers):
    path = tmp_path / "edges.safetensors"
    save_layers(path, layers)
    for found, expected in zip(load_layers(path), layers, strict=True):
        assert found == pytest.approx(expected, rel=1e-3, abs=1e-4)  # half precision
    assert path.stat().st_size < 100_000


def test_other_files_are_refused(tmp_path, layers):
    with pytest.raises(InputError, match="safetensors"):
        save_layers(tmp_path / "edges.npz", layers)
    with pytest.raises(InputError, match="cannot be read"):
        load_layers(tmp_path / "missing.safetensors")
    other = tmp_path / "other.safetensors"
    other.write_bytes(b"no weights")
    with pytest.raises(InputError, match="cannot be read"):
        load_layers(other)


def test_likely_edges_come_from_the_candidates_nearest_first(layers):
    problem = sil.generate_tsp(400, 1, sil.Distribution.CLUSTERED)
    candidates = problem.instance.candidates(nearest(problem, EDGE_CANDIDATES), 1, Interrupt())
    found = lists_of(likely_edges(EdgeNetwork(layers), 6, 6), problem)
    assert found.shape == (400, 6)
    for node, each in enumerate(found):
        assert set(each) <= set(candidates.lists.lists[node])
        distances = problem.distance(np.full(6, node), each)
        assert np.all(np.diff(distances) >= 0)


def test_lists_are_shorter_where_less_is_likely():
    problem = sil.generate_tsp(2_000, 1)
    likeliest = lists_of(likely_edges(shipped_network(), 10, 10), problem)
    found = lists_of(likely_edges(shipped_network()), problem)
    own = np.arange(2_000)[:, None]
    lengths = (found != own).sum(axis=1)
    assert lengths.min() >= 4
    assert lengths.min() < lengths.mean() < lengths.max() <= 10
    for node, each in enumerate(found):
        kept = each[: lengths[node]]
        assert set(kept) <= set(likeliest[node])
        assert (each[lengths[node] :] == node).all()  # the node itself fills the list
        assert np.all(np.diff(problem.distance(np.full(len(kept), node), kept)) >= 0)


@pytest.mark.parametrize("size", [2, 5, EDGE_CANDIDATES])
def test_few_nodes_get_the_nearest(size):
    problem = sil.generate_tsp(size, 1)
    found = lists_of(likely_edges(shipped_network(), 6, 6), problem)
    assert np.array_equal(found, nearest(problem, 8).lists)


def test_a_matrix_gets_the_nearest():
    points = sil.generate_tsp(40, 1).coords
    matrix = np.linalg.norm(points[:, None] - points[None], axis=2)
    problem = sil.Problem(matrix=matrix, metric=sil.Metric.EXPLICIT)
    found = lists_of(likely_edges(shipped_network(), 6, 6), problem)
    assert np.array_equal(found, nearest(problem, 8).lists)


def test_all_around_holds_neighbours_on_all_sides():
    # Two columns far apart: the nearest nodes of each lie in its own column.
    column = np.arange(20.0)
    points = np.concatenate([np.c_[np.zeros(20), column], np.c_[np.full(20, 15.0), column]])
    found = lists_of(all_around(10), sil.Problem(points))
    assert found.shape == (40, 10)
    assert all((each >= 20).any() for each in found[2:18])


def test_an_interrupt_stops_it(layers):
    problem, interrupt = sil.generate_tsp(100, 1), Interrupt()
    near = nearest(problem, EDGE_CANDIDATES)
    interrupt.set()
    for make in (likely_edges(EdgeNetwork(layers), 6, 6), all_around(8)):
        with pytest.raises(StoppedError):
            make(problem.instance, near, 1, interrupt)


@pytest.mark.parametrize("distribution", list(sil.Distribution))
def test_shipped_lists_hold_more_edges_of_good_tours_than_the_nearest(distribution):
    problem = sil.generate_tsp(1_000, 7, distribution)
    # Lists of Delaunay neighbours, so that the tour does not come from what is measured.
    search = sil.SearchReconstructor(all_around(12))
    tour = sil.solve(problem, sil.MaxIterations(8), reconstructors=[search], threads=1).best.nodes
    learned = share_held(lists_of(likely_edges(shipped_network(), 6, 6), problem), tour)
    assert learned > share_held(nearest(problem, 6).lists, tour)
    assert learned > 0.97
