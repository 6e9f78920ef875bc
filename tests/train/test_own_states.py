import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sil import (
    MaxIterations,
    NativePolicy,
    SearchReconstructor,
    generate_cvrp,
    generate_tsp,
    solve,
)
from sil._native import Interrupt
from sil.errors import StoppedError
from sil.partial import PartialSolutions
from sil.policy.config import Frame, PolicyConfig
from sil.reconstruct.cut import cut, draw_length
from sil.train.examples import draw_own_examples
from sil.train.own_states import OwnStates, begin_and_complete
from tests.policy.networks import arrays, random_policy
from tests.strategies import problems, random_solution

CONFIGS = {
    kind: PolicyConfig(kind, 16, 1, 1, 16, candidates=5, frame=Frame.STEP)
    for kind in ("TSP", "CVRP")
}
POLICIES = {
    kind: NativePolicy(config, arrays(random_policy(config))) for kind, config in CONFIGS.items()
}


@settings(max_examples=80)
@given(problems(min_nodes=9, max_nodes=60), st.integers(0, 2**32 - 1))
def test_the_policy_begins_and_search_completes(problem, seed):
    policy, solution = POLICIES[problem.kind], random_solution(problem, seed)
    made = begin_and_complete(problem, solution, policy, 30, seed, Interrupt())
    assert made.check(problem) == []
    own = OwnStates.of(problem, solution, made, 30, seed)
    parts, done = own.parts, own.done

    rng = np.random.default_rng(seed)
    length = min(max(draw_length(problem.num_nodes, 30, rng), 7), problem.num_nodes)
    rng.integers(0, max(1, length - 6))
    old = cut(problem, solution, length, rng).parts
    rebuilt = policy.rebuild(problem, old)
    assert rebuilt.fit(problem).all()
    assert np.array_equal(parts.nodes[:, : done + 1], rebuilt.nodes[:, : done + 1])
    assert np.array_equal(parts.nodes[:, [0, -1]], old.nodes[:, [0, -1]])
    assert np.array_equal(np.sort(parts.nodes, axis=1), np.sort(old.nodes, axis=1))
    assert parts.fit(problem).all()
    assert (parts.costs(problem) <= rebuilt.costs(problem) * (1 + 1e-9)).all()
    if parts.via_depot is not None:
        assert np.array_equal(parts.via_depot[:, 0], old.via_depot[:, 0])
        flags = rebuilt.via_depot[:, 1 : done + 1]
        assert np.array_equal(parts.via_depot[:, 1 : done + 1], flags)


@pytest.mark.parametrize("problem", [generate_tsp(300), generate_cvrp(300)], ids=["TSP", "CVRP"])
def test_the_search_repairs_what_the_policy_has_spoilt(problem):
    reconstructor = SearchReconstructor()
    good = solve(problem, MaxIterations(60), reconstructors=[reconstructor], threads=1).best
    policy = POLICIES[problem.kind]  # untrained: it spoils much, whatever weights we ship
    spoilt, completed = 0.0, 0.0
    for seed in range(12):
        made = begin_and_complete(problem, good, policy, 300, seed, Interrupt())
        own = OwnStates.of(problem, good, made, 300, seed)
        rng = np.random.default_rng(seed)
        length = max(draw_length(problem.num_nodes, 300, rng), 7)
        rng.integers(0, max(1, length - 6))
        rebuilt = policy.rebuild(problem, cut(problem, good, length, rng).parts)
        spoilt += rebuilt.costs(problem).sum()
        completed += own.parts.costs(problem).sum()
    assert completed < 0.85 * spoilt


def test_states_are_drawn_after_the_choices_of_the_policy():
    problem = generate_tsp(60)
    nodes = np.random.default_rng(0).permutation(60).astype(np.int32).reshape(2, 30)
    own = OwnStates(PartialSolutions(nodes), done=25)
    examples = draw_own_examples(problem, own, CONFIGS["TSP"], 20, np.random.default_rng(1))
    assert 0 < len(examples) <= 20
    assert examples.features.valid.sum(axis=1).max() <= 3  # of 28 inner nodes 25 are done


def test_an_interrupt_stops_it():
    interrupt = Interrupt()
    interrupt.set()
    problem = generate_tsp(50)
    with pytest.raises(StoppedError):
        begin_and_complete(problem, random_solution(problem, 0), POLICIES["TSP"], 50, 0, interrupt)
