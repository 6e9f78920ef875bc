import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from sil import InputError, NativePolicy, Problem, _native, generate_cvrp, generate_tsp
from sil._native import Interrupt
from sil.errors import StoppedError
from sil.partial import PartialSolutions
from sil.policy.config import Attention, Frame, PolicyConfig, preset
from sil.policy.native import observe
from sil.reconstruct.cut import cut
from tests.policy.networks import arrays, random_policy
from tests.policy.reference import ReferenceDecoder
from tests.policy.reference_features import States, bounding_boxes, boxes_for, features
from tests.strategies import problems, random_solution

TOLERANCE = 1e-4
KINDS = ["TSP", "CVRP"]


def random_inputs(config: PolicyConfig, states: int, count: int, seed: int):
    rng = np.random.default_rng(seed)

    def draw(*shape):
        return rng.normal(size=shape).astype(np.float32)

    f, c = config.num_features, config.num_context
    return draw(states, count, f), draw(states, f), draw(states, f), draw(states, c)


@pytest.mark.parametrize("instruction_set", _native.instruction_sets())
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["paper", "sit", "fast"])
@pytest.mark.parametrize("normalised", [False, True])
def test_logits_agree_with_pytorch(name, kind, instruction_set, normalised):
    config = replace(preset(name, kind), normalised=normalised)
    policy = random_policy(config)
    native = NativePolicy(config, arrays(policy), instruction_set)
    for states, count in ((1, 1), (3, 2), (2, 97), (17, 33)):
        inputs = random_inputs(config, states, count, seed=count)
        with torch.inference_mode():
            valid = torch.ones(states, count, dtype=torch.bool)
            expected = policy(*map(torch.from_numpy, inputs), valid).numpy()
        found = native.engine.logits(*inputs)
        assert np.abs(found - expected).max() <= TOLERANCE * np.abs(expected).max()


@settings(max_examples=20)
@given(st.sampled_from([1, 3, 5]), st.sampled_from([2, 3, 5]), st.integers(1, 60))
def test_logits_agree_for_odd_shapes(heads, representatives, count):
    config = PolicyConfig(
        "CVRP", 16 * heads, 2, heads, 48, representatives, normalised=count % 2 == 0
    )
    policy = random_policy(config, count)
    inputs = random_inputs(config, 2, count, seed=count)
    with torch.inference_mode():
        valid = torch.ones(2, count, dtype=torch.bool)
        expected = policy(*map(torch.from_numpy, inputs), valid).numpy()
    found = NativePolicy(config, arrays(policy)).engine.logits(*inputs)
    assert np.abs(found - expected).max() <= TOLERANCE * np.abs(expected).max()


def first_difference_is_a_tie(problem, policy, parts, one, other, row) -> bool:
    """Whether the two choices where the sequences part have logits within the tolerance."""
    nodes = np.flatnonzero(one.nodes[row] != other.nodes[row])
    flags = np.array([], dtype=int)
    if one.via_depot is not None:
        flags = np.flatnonzero(one.via_depot[row, 1:] != other.via_depot[row, 1:]) + 1
    step = int(min([*nodes[:1], *flags[:1]]))
    visited = one.nodes[row, :step]
    left = np.setdiff1d(parts.nodes[row, 1:-1], visited)
    remaining = None
    if problem.demand is not None:
        carried = int(parts.load_before[row])
        for node, via in zip(visited, one.via_depot[row, :step], strict=True):
            carried = int(problem.demand[node]) + (0 if via and node != visited[0] else carried)
        remaining = np.array([problem.capacity - carried])
    away = problem.layout[left] - problem.layout[visited[-1]]
    near = left[np.argsort(np.linalg.norm(away, axis=1))][: policy.config.candidates]
    state = States(
        visited[-1:],
        parts.nodes[[row], -1],
        near[None],
        np.ones((1, len(near)), dtype=bool),
        remaining,
        None if remaining is None else parts.load_after[[row]],
        None if remaining is None else problem.demand[left].sum(keepdims=True),
        bounding_boxes(problem.layout[parts.nodes[[row]]]),
    )
    logits = ReferenceDecoder(policy).logits(problem, state)[0]

    def chosen(rebuilt):
        action = 0 if rebuilt.via_depot is None else int(rebuilt.via_depot[row, step])
        return logits[int(np.flatnonzero(near == rebuilt.nodes[row, step])[0]), action]

    return bool(abs(chosen(one) - chosen(other)) <= TOLERANCE * np.abs(logits).max())


@pytest.mark.parametrize("instruction_set", _native.instruction_sets())
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("candidates", "neighbours"), [(None, 0), (12, 0), (12, 3)])
@pytest.mark.parametrize("frame", list(Frame))
def test_a_thousand_decoded_sequences_agree_with_pytorch(
    kind, candidates, neighbours, frame, instruction_set
):
    config = PolicyConfig(
        kind, 32, 2, 2, 64, candidates=candidates, frame=frame, neighbours=neighbours
    )
    policy = random_policy(config)
    size = 20_000
    problem = generate_tsp(size) if kind == "TSP" else generate_cvrp(size, capacity=60)
    solution = random_solution(problem, 0)
    parts = cut(problem, solution, 20, np.random.default_rng(0)).parts
    expected = ReferenceDecoder(policy).rebuild(problem, parts)
    native = NativePolicy(config, arrays(policy), instruction_set)
    found = native.rebuild(problem, parts, threads=2)
    assert len(parts) == 1_000
    assert found.fit(problem).all()
    differ = (found.nodes != expected.nodes).any(axis=1)
    if kind == "CVRP":
        differ |= (found.via_depot[:, 1:] != expected.via_depot[:, 1:]).any(axis=1)
    assert differ.mean() < 0.01
    if frame is not Frame.INSTANCE:
        for row in np.flatnonzero(differ):
            assert first_difference_is_a_tie(problem, policy, parts, expected, found, row)


@settings(max_examples=40)
@given(problems(min_nodes=8), st.integers(0, 1000), st.sampled_from(list(Frame)))
def test_what_is_observed_are_the_features_of_the_state(problem, seed, frame):
    reach = 1.5 if frame is Frame.STEP else 1.0
    config = PolicyConfig(problem.kind, candidates=4, frame=frame, neighbours=2, reach=reach)
    parts = cut(problem, random_solution(problem, seed), 7, np.random.default_rng(seed)).parts
    steps = np.random.default_rng(seed).integers(0, 5, len(parts))
    observed = observe(config, problem, parts, steps)
    candidates, remaining = observed.candidates, observed.remaining
    found = observed.features.arrays()
    rows = np.arange(len(parts))
    with_demand = problem.demand is not None
    unserved = [
        problem.demand[part[1 + step : -1]].sum() if with_demand else 0
        for part, step in zip(parts.nodes, steps, strict=True)
    ]
    states = States(
        parts.nodes[rows, steps],
        parts.nodes[:, -1],
        np.maximum(candidates, 0),
        candidates >= 0,
        remaining if with_demand else None,
        parts.load_after,
        np.array(unserved) if with_demand else None,
        boxes_for(frame, problem, parts.nodes),
    )
    seen = features(problem, states, config)
    valid = states.valid[..., None]
    assert np.allclose(found[0], np.where(valid, seen.nodes, 0), atol=1e-5)
    assert np.allclose(found[1], seen.start, atol=1e-5)
    assert np.allclose(found[2], seen.destination, atol=1e-5)
    assert np.allclose(found[3], seen.context, atol=1e-5)
    for row, step in enumerate(steps):
        left = parts.nodes[row, 1 + step : -1]
        away = np.linalg.norm(problem.layout[left] - problem.layout[parts.nodes[row, step]], axis=1)
        here = candidates[row][candidates[row] >= 0]
        assert set(here) <= set(left.tolist())
        assert len(here) == min(4, len(left))
        chosen = np.isin(left, here)
        assert away[chosen].max() <= away[~chosen].min(initial=np.inf) + 1e-12
        if with_demand:
            load = int(parts.load_before[row])
            for i in range(step + 1):
                load = 0 if i and parts.via_depot[row, i] else load
                load += int(problem.demand[parts.nodes[row, i]])
            assert remaining[row] == problem.capacity - load


@settings(max_examples=60)
@given(problems(min_nodes=3), st.integers(0, 1000), st.booleans(), st.sampled_from(list(Frame)))
def test_what_is_decoded_keeps_its_ends_and_fits(problem, seed, sample, frame):
    config = PolicyConfig(problem.kind, 16, 1, 1, 16, candidates=5, frame=frame)
    native = NativePolicy(config, arrays(random_policy(config, seed)))
    length = min(3 + seed % 4, problem.num_nodes)
    solution = random_solution(problem, seed)
    pieces = cut(problem, solution, length, np.random.default_rng(seed))
    rebuilt = native.rebuild(problem, pieces.parts, sample=sample, seed=seed)
    assert rebuilt.fit(problem).all()
    merged, gain = pieces.merge(problem, rebuilt)
    assert gain >= 0
    assert merged.check(problem) == []


@settings(max_examples=40)
@given(st.integers(0, 1000), st.integers(1, 12), st.integers(3, 40), st.booleans())
def test_no_more_visits_to_the_depot_than_before(seed, capacity, length, sample):
    drawn = generate_cvrp(60, seed)
    demand = np.array([0] + [1] * 60)  # so that every route can be filled up
    problem = Problem(drawn.coords, demand, capacity)
    config = PolicyConfig("CVRP", 16, 1, 1, 16, frame=Frame.STEP)
    native = NativePolicy(config, arrays(random_policy(config, seed)))
    parts = cut(problem, random_solution(problem, seed), length, np.random.default_rng(seed)).parts
    rebuilt = native.rebuild(problem, parts, sample=sample, seed=seed)
    before, after = (each.via_depot[:, 1:].sum(axis=1) for each in (parts, rebuilt))
    assert (after <= before).all()


@settings(max_examples=40)
@given(problems(), st.integers(0, 100))
def test_whole_solutions_are_constructed_validly(problem, seed):
    config = PolicyConfig(problem.kind, 16, 1, 1, 16, candidates=5, frame=Frame.STEP)
    native = NativePolicy(config, arrays(random_policy(config, seed)))
    solution = native.construct(problem, seed)
    assert solution.check(problem) == []


def test_long_constructions_pick_the_same_neighbours_as_short_scans():
    # 3,000 nodes go through the tree; a nearest-node rule shows every neighbour it gives.
    config = PolicyConfig("TSP", 16, 1, 1, 16, candidates=1, frame=Frame.STEP)
    native = NativePolicy(config, arrays(random_policy(config)))
    problem = generate_tsp(3_000, distribution="mixed")
    tour = native.construct(problem, seed=1).nodes
    left = set(problem.nodes.tolist()) - {int(tour[0])}
    for a, b in itertools.pairwise(tour):
        rest = np.fromiter(left, dtype=int)
        assert problem.distance(int(a), int(b)) == problem.distance(int(a), rest).min()
        left.remove(int(b))


def test_sampling_follows_its_seed_and_not_the_threads():
    problem = generate_cvrp(400, capacity=60)
    config = PolicyConfig("CVRP", 16, 1, 1, 16, candidates=5, frame=Frame.STEP)
    native = NativePolicy(config, arrays(random_policy(config)))
    parts = cut(problem, random_solution(problem, 0), 10, np.random.default_rng(0)).parts

    def draw(seed, threads):
        return native.rebuild(problem, parts, sample=True, seed=seed, threads=threads).nodes

    assert np.array_equal(draw(1, 1), draw(1, 2))
    assert not np.array_equal(draw(1, 1), draw(2, 1))


def test_an_interrupt_leaves_the_parts_as_they_were():
    problem = generate_tsp(200)
    config = PolicyConfig("TSP", 16, 1, 1, 16)
    native = NativePolicy(config, arrays(random_policy(config)))
    parts = PartialSolutions(problem.nodes.reshape(4, 50))
    interrupt = Interrupt()
    interrupt.set()
    assert np.array_equal(native.rebuild(problem, parts, interrupt=interrupt).nodes, parts.nodes)
    with pytest.raises(StoppedError):
        native.construct(problem, interrupt=interrupt)


def test_what_does_not_fit_is_refused():
    config = PolicyConfig("TSP", 16, 1, 1, 16)
    native = NativePolicy(config, arrays(random_policy(config)))
    with pytest.raises(InputError, match="this policy is for TSP"):
        native.construct(generate_cvrp(5))
    with pytest.raises(InputError, match="PyTorch only"):
        NativePolicy(PolicyConfig(attention=Attention.FULL), {})


@pytest.mark.parametrize("spread", [0.0, 1e-300, 1e-9])
def test_equal_points_are_decoded_as_quickly_as_others(spread):
    # A depot far away, too: its place in units of the crowd is a large number.
    config = PolicyConfig("CVRP", 16, 1, 1, 16, candidates=5, frame=Frame.STEP)
    native = NativePolicy(config, arrays(random_policy(config)))
    points = spread * np.random.default_rng(0).random((20_001, 2))
    points[0] = 1e9
    problem = Problem(points, np.r_[0, np.ones(20_000)], 100)
    interrupt = Interrupt()
    interrupt.expire_in(60)
    assert native.construct(problem, 0, interrupt).check(problem) == []


def test_capacities_of_all_routes_may_add_up_to_more_than_64_bits_hold():
    config = PolicyConfig("CVRP", 16, 1, 1, 16, candidates=5, frame=Frame.STEP)
    native = NativePolicy(config, arrays(random_policy(config)))
    size = 1_100
    points = np.random.default_rng(0).random((size + 1, 2))
    built = [
        native.construct(Problem(points, np.r_[0, np.full(size, unit)], 10 * unit), 0)
        for unit in (1, 2**40)
    ]
    assert built[0] == built[1]
    large = Problem(points, np.r_[0, np.ones(size)], 2**53 - 1)
    assert native.construct(large, 0).check(large) == []
