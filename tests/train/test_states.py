import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sil import Solution, generate_tsp
from sil.policy.config import Frame, PolicyConfig
from sil.train.states import concatenate, draw_examples
from tests.strategies import problems, random_solution


@given(problems(min_nodes=6), st.integers(0, 1000), st.integers(3, 6), st.sampled_from([2, None]))
def test_the_right_action_is_always_allowed(problem, seed, length, candidates):
    config = PolicyConfig(problem.kind, candidates=candidates, frame=Frame.STEP)
    solution = random_solution(problem, seed)
    examples = draw_examples(problem, solution, config, length, np.random.default_rng(seed))
    rows = np.arange(len(examples.label))
    # There may be no example at all, if the right nodes are not among the candidates.
    allowed = examples.allowed.reshape(len(rows), int(np.prod(examples.allowed.shape[1:])))
    assert allowed[rows, examples.label].all()
    if candidates is None:
        assert len(rows) == problem.num_nodes // length
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
    joined = concatenate([draw_examples(problem, solution, config, n, rng) for n in (5, 20)])
    assert joined.valid.shape == (60 // 5 + 60 // 20, 18)
    assert joined.features.nodes.shape == (15, 18, 2)
    assert not joined.valid[:12, 3:].any()
