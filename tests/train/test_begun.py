import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sil import NativePolicy, generate_tsp
from sil._native import Interrupt
from sil.errors import StoppedError
from sil.policy.config import Frame, PolicyConfig
from sil.segments import PartialSolutions, cut, draw_length
from sil.train.begun import Begun, begin_and_complete
from sil.train.states import draw_begun_examples
from tests.policy.networks import arrays, random_policy
from tests.strategies import problems, random_solution

CONFIG = PolicyConfig("TSP", 16, 1, 1, 16, candidates=5, frame=Frame.STEP)
POLICY = NativePolicy(CONFIG, arrays(random_policy(CONFIG)))


@settings(max_examples=40)
@given(problems(kind="TSP", min_nodes=9, max_nodes=60), st.integers(0, 2**32 - 1))
def test_the_policy_begins_and_search_completes(problem, seed):
    solution = random_solution(problem, seed)
    made = begin_and_complete(problem, solution, POLICY, 30, seed, Interrupt())
    assert made.check(problem) == []
    begun = Begun.of(made, 30, seed)

    rng = np.random.default_rng(seed)
    length = min(max(draw_length(problem.num_nodes, 30, rng), 7), problem.num_nodes)
    rng.integers(0, max(1, length - 6))
    rebuilt = POLICY.rebuild(problem, cut(problem, solution, length, rng).parts)
    assert begun.nodes.shape == rebuilt.nodes.shape
    assert np.array_equal(begun.nodes[:, : begun.done + 1], rebuilt.nodes[:, : begun.done + 1])
    assert np.array_equal(begun.nodes[:, -1], rebuilt.nodes[:, -1])
    cost = PartialSolutions(begun.nodes).costs(problem)
    assert (cost <= rebuilt.costs(problem) * (1 + 1e-9)).all()


def test_states_are_drawn_from_where_the_policy_has_come_to():
    problem = generate_tsp(60)
    begun = Begun(np.random.default_rng(0).permutation(60).astype(np.int32).reshape(2, 30), done=25)
    examples = draw_begun_examples(problem, begun, CONFIG, 20, np.random.default_rng(1))
    assert 0 < len(examples) <= 20
    assert examples.features.valid.sum(axis=1).max() <= 3  # of 28 inner nodes 25 are done


def test_an_interrupt_stops_it():
    interrupt = Interrupt()
    interrupt.set()
    problem = generate_tsp(50)
    with pytest.raises(StoppedError):
        begin_and_complete(problem, random_solution(problem, 0), POLICY, 50, 0, interrupt)
