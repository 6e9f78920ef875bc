from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sil import Problem, generate_cvrp
from sil.policy.config import Frame, PolicyConfig
from tests.policy.reference_features import States, bounding_boxes, features

CVRP = generate_cvrp(40, seed=5, capacity=50)


def states_of(problem: Problem, rng: np.random.Generator, count: int = 6) -> States:
    nodes = np.stack([rng.permutation(problem.nodes)[:12] for _ in range(count)])
    return States(
        nodes[:, 0],
        nodes[:, 1],
        nodes[:, 2:],
        np.ones((count, 10), dtype=bool),
        rng.integers(0, 50, count),
        rng.integers(0, 20, count),
        problem.demand[nodes[:, 2:]].sum(axis=1),
        bounding_boxes(problem.layout[nodes]),
    )


@given(st.floats(0, 2 * np.pi), st.floats(-50, 50), st.floats(0.01, 100), st.integers(0, 2**32 - 1))
def test_the_step_frame_does_not_see_place_size_or_direction(angle, shift, scale, seed):
    config = PolicyConfig("CVRP", candidates=10, frame=Frame.STEP, neighbours=2)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    moved = Problem(CVRP.coords @ turn.T * scale + shift, CVRP.demand, CVRP.capacity)
    states = states_of(CVRP, np.random.default_rng(seed))
    here, there = features(CVRP, states, config), features(moved, states, config)
    for name in ("nodes", "start", "destination", "context"):
        assert np.allclose(getattr(here, name), getattr(there, name), atol=1e-4)


def test_the_step_frame_is_centred_scaled_and_turned():
    seen = features(
        CVRP, states_of(CVRP, np.random.default_rng(0)), PolicyConfig("CVRP", frame="step")
    )
    assert np.allclose(seen.start[:, :2], 0)
    assert np.allclose(np.linalg.norm(seen.nodes[..., :2], axis=-1).max(axis=1), 1, atol=1e-6)
    assert np.allclose(seen.destination[:, 1], 0, atol=1e-6)
    assert (seen.destination[:, 0] > 0).all()


@pytest.mark.parametrize("frame", [Frame.INSTANCE, Frame.SEGMENT])
def test_box_frames_fit_the_unit_square(frame):
    seen = features(
        CVRP, states_of(CVRP, np.random.default_rng(0)), PolicyConfig("CVRP", frame=frame)
    )
    for part in (seen.nodes, seen.start, seen.destination):
        assert part[..., :2].min() >= -1e-6
        assert part[..., :2].max() <= 1 + 1e-6


def test_far_points_are_compressed_and_none_is_lost():
    far = Problem(np.array([[0.0, 0.0], [1e6, 0.0], [0.0, 1.0], [1.0, 0.0]]))
    states = States(
        np.array([0]), np.array([1]), np.array([[2, 3]]), np.ones((1, 2), bool), None, None, None,
        bounding_boxes(far.layout[None]),
    )  # fmt: skip
    seen = features(far, states, PolicyConfig("TSP", frame=Frame.STEP))
    assert seen.destination[0] == pytest.approx([1 + np.log(1e6), 0])
    assert seen.nodes[0] == pytest.approx(np.array([[0, 1], [1, 0]]))


def test_all_nodes_in_one_place_is_no_division_by_zero():
    same = Problem(np.zeros((5, 2)))
    states = States(
        np.array([0]), np.array([1]), np.array([[2, 3]]), np.ones((1, 2), bool), None, None, None,
        bounding_boxes(same.layout[None]),
    )  # fmt: skip
    for frame in Frame:
        assert np.isfinite(features(same, states, PolicyConfig("TSP", frame=frame)).nodes).all()


def test_each_candidate_is_told_of_its_nearest_others():
    problem = Problem(np.array([[0.0, 0.0], [10.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 3.0]]))
    valid = np.array([[True, True, True], [True, True, False]])
    candidates = np.array([[2, 3, 4], [2, 3, 3]])
    states = States(
        np.zeros(2, int), np.ones(2, int), candidates, valid, None, None, None, np.zeros((2, 3))
    )
    config = PolicyConfig("TSP", candidates=3, frame=Frame.STEP, neighbours=2)
    seen = features(problem, states, config)
    radius = np.sqrt(13)  # the farthest candidate
    one, three, root = 1 / radius, 3 / radius, np.sqrt(10) / radius
    expected = [
        [one, 0, one, one, three, root],
        [-one, 0, one, 0, three, three],
        [0, -three, three, -one, -three, root],
    ]
    assert seen.nodes[0, :, 2:] == pytest.approx(np.array(expected), abs=1e-6)
    assert seen.nodes[1, 0, 2:] == pytest.approx([0.5, 0, 0.5, 0, 0, 2])  # the other is not there
    assert not seen.start[:, 2:].any()
    assert not seen.destination[:, 2:].any()
    wide = features(problem, states, replace(config, reach=2.0))
    assert wide.nodes[0] == pytest.approx(seen.nodes[0] / 2, abs=1e-6)


def test_the_demand_that_is_left_tells_how_many_routes_are_to_come():
    states = states_of(CVRP, np.random.default_rng(0))
    config = PolicyConfig("CVRP", frame=Frame.STEP)
    left = states.unserved + CVRP.demand[states.destination] + states.load_after
    routes = left / CVRP.capacity
    expected = np.where(routes <= 1, routes, 1 + np.log(np.maximum(routes, 1)))
    assert features(CVRP, states, config).context[:, 3] == pytest.approx(expected, abs=1e-6)
    many, more = (
        features(CVRP, replace(states, unserved=np.full(6, count)), config).context[:, 3]
        for count in (10_000, 20_000)
    )
    assert (many == more).all()
