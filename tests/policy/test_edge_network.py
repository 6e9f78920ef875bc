"""The native edge network: what it sees, and which candidates it keeps."""

from itertools import pairwise

import numpy as np
import pytest

from sil import Interrupt, Problem
from sil._native import EDGE_CANDIDATES, EdgeNetwork, edge_features
from sil.neighbours import nearest

FEATURES = 7


def problem_with_candidates(points):
    problem = Problem(points)
    near = nearest(problem, EDGE_CANDIDATES)
    return problem, problem.instance.candidates(near, 1, Interrupt())


def features(points):
    problem, candidates = problem_with_candidates(points)
    found = edge_features(problem.instance, candidates)
    return found.reshape(len(points), EDGE_CANDIDATES, FEATURES)


def random_weights(rng, hidden=32):
    sizes = [EDGE_CANDIDATES * FEATURES, hidden, hidden, EDGE_CANDIDATES]
    arrays = []
    for inputs, outputs in pairwise(sizes):
        arrays.append(rng.normal(size=(outputs, inputs)).astype(np.float32) / np.sqrt(inputs))
        arrays.append(rng.normal(size=outputs).astype(np.float32))
    return arrays


def test_features_are_what_they_say():
    points = np.random.default_rng(0).uniform(size=(200, 2))
    candidates = problem_with_candidates(points)[1]
    lists, found = candidates.lists.lists, features(points)
    distance = np.linalg.norm(points[lists] - points[:, None], axis=2)  # (n, 16)
    scale = distance[:, :5].mean(axis=1)
    assert found[..., 2] == pytest.approx(np.log1p(distance / scale[:, None]), rel=1e-5)
    assert np.hypot(found[..., 0], found[..., 1]) == pytest.approx(found[..., 2], rel=1e-5)
    assert found[:, 0, 1] == pytest.approx(0, abs=1e-6)  # the nearest lies on the x axis
    assert found[..., 3] == pytest.approx(np.log(scale[lists] / scale[:, None]), abs=1e-5)
    assert np.array_equal(found[..., 5], (candidates.around[:, None] >> np.arange(16)) & 1)
    for node in range(0, 200, 17):
        for k, other in enumerate(lists[node]):
            back = np.flatnonzero(lists[other] == node)
            assert found[node, k, 4] == (back[0] if back.size else 16) / 16
            apart = np.linalg.norm(points[lists[node, :k]] - points[other], axis=1)
            assert found[node, k, 6] == min(np.sum(apart < distance[node, k]), 8) / 4


def test_features_do_not_change_if_the_map_is_moved_turned_mirrored_or_scaled():
    points = np.random.default_rng(1).uniform(size=(300, 2))
    turn = np.array([[np.cos(1), -np.sin(1)], [np.sin(1), np.cos(1)]])
    for other in (points + 5, points @ turn, points * [1, -1], points * 1000):
        assert features(other) == pytest.approx(features(points), abs=1e-4)


@pytest.mark.parametrize("points", [np.zeros((40, 2)), np.indices((7, 7)).reshape(2, -1).T])
def test_features_of_equal_points_and_of_a_grid_are_finite(points):
    assert np.all(np.isfinite(features(points.astype(float))))


def test_keeps_the_candidates_that_both_ends_find_likeliest():
    rng = np.random.default_rng(2)
    points, weights = rng.uniform(size=(150, 2)), random_weights(rng)
    problem, candidates = problem_with_candidates(points)
    lists = candidates.lists.lists
    hidden = edge_features(problem.instance, candidates)
    for layer in range(3):
        hidden = hidden @ weights[2 * layer].T + weights[2 * layer + 1]
        hidden = np.maximum(hidden, 0) if layer < 2 else hidden
    kept = (
        EdgeNetwork(weights)
        .likeliest(problem.instance, candidates, 6, 6, 0.0, 2, Interrupt())
        .lists
    )
    for node in range(150):
        likely = hidden[node] - 1
        for k, other in enumerate(lists[node]):
            if (back := np.flatnonzero(lists[other] == node)).size:
                likely[k] = (hidden[node, k] + hidden[other, back[0]]) / 2
        order = np.argsort(-likely)
        clear = likely[order[5]] - likely[order[6]] > 1e-4  # else rounding decides
        assert not clear or kept[node].tolist() == lists[node, np.sort(order[:6])].tolist()


def test_weights_that_do_not_fit_are_refused():
    weights = random_weights(np.random.default_rng(3))
    with pytest.raises(ValueError, match="three layers"):
        EdgeNetwork(weights[:4])
    with pytest.raises(ValueError, match="do not match"):
        EdgeNetwork([weights[0][:, :-1].copy(), *weights[1:]])
    with pytest.raises(TypeError, match="single-precision"):
        EdgeNetwork(["weights"] * 6)


def test_lists_of_another_width_are_refused():
    problem = Problem(np.random.default_rng(4).uniform(size=(50, 2)))
    narrow = problem.instance.candidates(nearest(problem, 8), 1, Interrupt())
    with pytest.raises(ValueError, match="16 candidates"):
        edge_features(problem.instance, narrow)


def test_extreme_weights_do_no_harm():
    weights = [np.full_like(each, 3e38) for each in random_weights(np.random.default_rng(5))]
    problem, candidates = problem_with_candidates(np.random.default_rng(5).uniform(size=(60, 2)))
    kept = (
        EdgeNetwork(weights)
        .likeliest(problem.instance, candidates, 5, 5, 0.0, 1, Interrupt())
        .lists
    )
    assert all(len(set(row)) == 5 for row in kept)
