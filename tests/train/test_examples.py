import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sil import Problem, Solution, generate_cvrp, generate_tsp
from sil.partial import PartialSolutions
from sil.policy.config import Frame, PolicyConfig
from sil.policy.native import observe
from sil.reconstruct.cut import cut
from sil.train.examples import (
    Examples,
    concatenate,
    draw_examples,
    every_example,
    examples_at,
    mirrored,
)
from tests.policy.reference_features import features
from tests.policy.test_features import CVRP, states_of
from tests.strategies import problems, random_solution


@given(problems(min_nodes=6), st.integers(0, 1000), st.integers(3, 6), st.sampled_from([2, None]))
def test_the_right_action_is_always_allowed(problem, seed, length, candidates):
    config = PolicyConfig(problem.kind, candidates=candidates, frame=Frame.STEP)
    solution = random_solution(problem, seed)
    examples = draw_examples(problem, solution, config, length, 7, np.random.default_rng(seed))
    assert (examples.right <= examples.allowed).all()
    assert examples.right.any(axis=(1, 2)).all()
    # There may be no example at all, if the right nodes are not among the candidates.
    if candidates is None:
        assert len(examples) == 7
    seen = examples.features
    assert all(
        np.isfinite(a).all() for a in (seen.nodes, seen.start, seen.destination, seen.context)
    )
    if problem.kind == "CVRP":
        assert (seen.context[:, 0] >= 0).all()
        assert (seen.context[:, 0] <= 1).all()


def test_examples_of_different_widths_are_joined():
    config = PolicyConfig("TSP", frame=Frame.STEP)
    problem, rng = generate_tsp(60), np.random.default_rng(0)
    solution = Solution(problem.nodes)
    joined = concatenate([draw_examples(problem, solution, config, n, 9, rng) for n in (5, 20)])
    assert joined.features.valid.shape == (18, 18)
    assert joined.features.nodes.shape == (18, 18, 2)
    assert not joined.features.valid[:9, 3:].any()


@pytest.mark.parametrize("kind", ["TSP", "CVRP"])
def test_every_state_of_a_run_is_taken_once(kind):
    problem = generate_tsp(40) if kind == "TSP" else generate_cvrp(40, capacity=60)
    config = PolicyConfig(kind, frame=Frame.STEP)
    parts = cut(problem, random_solution(problem, 0), 10, np.random.default_rng(0)).parts
    examples = every_example(problem, parts, config)
    assert examples.right.sum(axis=(1, 2)).tolist() == [1] * len(parts) * 8
    assert examples.features.valid.sum(axis=1).tolist() == [8, 7, 6, 5, 4, 3, 2, 1] * len(parts)


def test_any_whole_route_may_be_the_next():
    # Routes of 3, 1, 2, 4 and 3 customers; the partial solution is all of them but the first node,
    # and the last route, which holds the destination, can only follow when no other is left.
    sizes = np.array([3, 1, 2, 4, 3])
    coords = np.random.default_rng(0).random((14, 2))
    problem = Problem(coords, np.array([0] + [1] * 13), 4)
    nodes, begins = problem.nodes, np.zeros(13, dtype=bool)
    begins[np.cumsum(sizes) - sizes] = True
    nothing = np.zeros(1, dtype=np.int64)
    parts = PartialSolutions(nodes[None, 1:], begins[None, 1:], nothing + 1, nothing)
    config = PolicyConfig("CVRP", frame=Frame.STEP)
    expected = {
        1: {4, 5, 7},  # customers 2 and 3 are visited
        2: {5, 7},
        4: {7},
        8: {11},
    }
    for step, first in expected.items():
        steps = np.array([step])
        candidates = observe(config, problem, parts, steps).candidates[0]
        (right,) = examples_at(problem, parts, steps, config, any_route_next=True).right
        assert set(candidates[right[:, 1]]) == first
        assert not right[:, 0].any()
    # Where the part ends at the depot, the last route is one like the others.
    to_depot = PartialSolutions(
        np.append(nodes[1:], 0)[None].astype(np.int32),
        np.append(begins[1:], False)[None],
        nothing + 1,
        nothing,
    )
    for step, first in {1: {4, 5, 7, 11}, 4: {7, 11}, 8: {11}}.items():
        steps = np.array([step])
        candidates = observe(config, problem, to_depot, steps).candidates[0]
        (right,) = examples_at(problem, to_depot, steps, config, any_route_next=True).right
        assert set(candidates[right[:, 1]]) == first
    for step in (0, 3, 5, 9):
        steps = np.array([step])
        candidates = observe(config, problem, parts, steps).candidates[0]
        (right,) = examples_at(problem, parts, steps, config, any_route_next=True).right
        assert candidates[right[:, 0]].tolist() == [parts.nodes[0, step + 1]]
        assert not right[:, 1].any()


@pytest.mark.parametrize("frame", list(Frame))
def test_a_mirrored_state_is_the_state_of_a_mirrored_problem(frame):
    config = PolicyConfig("CVRP", candidates=10, frame=frame, neighbours=3)
    states = states_of(CVRP, np.random.default_rng(0))
    if frame is not Frame.STEP:
        states.box[:] = [0, 0, 1]
    x, y = CVRP.coords.T
    turned = [(x, y), (1 - x, y), (x, 1 - y), (1 - x, 1 - y)]
    turned += [(b, a) for a, b in turned]
    images = [
        features(Problem(np.column_stack(image), CVRP.demand, CVRP.capacity), states, config)
        for image in turned
    ]
    count = len(states.current)
    found = mirrored(
        Examples(images[0], states.valid[..., None], states.valid[..., None]),
        config,
        np.random.default_rng(1),
    ).features
    seen_images = set()
    for row in range(count):
        same = [
            number
            for number, image in enumerate(images)
            if all(
                np.allclose(getattr(found, name)[row], getattr(image, name)[row], atol=1e-5)
                for name in ("nodes", "start", "destination", "context")
            )
        ]
        assert same
        seen_images.add(same[0])
    assert len(seen_images) > 1
