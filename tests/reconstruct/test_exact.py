from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sil import ExactReconstructor, InputError, Solution, generate_cvrp
from sil._native import Interrupt
from sil.partial import PartialSolutions
from sil.reconstruct.cut import cut
from tests.strategies import problems, random_solution


def best_by_trying_all(problem, parts: PartialSolutions, row: int) -> float:
    nodes = parts.nodes[row]
    flags = [()] if parts.via_depot is None else product([False, True], repeat=len(nodes) - 1)
    best = np.inf
    for chosen in flags:
        via = None if parts.via_depot is None else np.array([[True, *chosen]])
        for inner in permutations(nodes[1:-1].tolist()):
            candidate = PartialSolutions(
                np.array([[nodes[0], *inner, nodes[-1]]], dtype=np.int32),
                via,
                None if via is None else parts.load_before[[row]],
                None if via is None else parts.load_after[[row]],
            )
            if candidate.fit(problem).all():
                best = min(best, float(candidate.costs(problem)[0]))
    return best


@settings(max_examples=60)
@given(problems(min_nodes=4, max_nodes=12), st.integers(0, 1000), st.integers(4, 6))
def test_exact_finds_the_best_there_is(problem, seed, length):
    solution = random_solution(problem, seed)
    length = min(length, problem.num_nodes)
    parts = cut(problem, solution, length, np.random.default_rng(seed)).parts
    rebuilt = ExactReconstructor().reconstruct(problem, parts, 0, 1, Interrupt())
    assert rebuilt.fit(problem).all()
    for row, cost in enumerate(rebuilt.costs(problem)):
        assert cost == pytest.approx(best_by_trying_all(problem, parts, row))


def test_threads_do_not_change_the_result():
    problem = generate_cvrp(500, capacity=60)
    parts = cut(problem, random_solution(problem, 0), 8, np.random.default_rng(0)).parts
    one, two = (
        ExactReconstructor().reconstruct(problem, parts, 0, threads, Interrupt())
        for threads in (1, 2)
    )
    assert np.array_equal(one.nodes, two.nodes)
    assert np.array_equal(one.via_depot, two.via_depot)


def test_interrupted_parts_stay_as_they_were():
    problem = generate_cvrp(500, capacity=60)
    solution = random_solution(problem, 0)
    pieces = cut(problem, solution, 8, np.random.default_rng(0))
    interrupt = Interrupt()
    interrupt.set()
    rebuilt = ExactReconstructor().reconstruct(problem, pieces.parts, 0, 2, interrupt)
    assert np.array_equal(rebuilt.nodes, pieces.parts.nodes)
    merged, gain = pieces.merge(problem, rebuilt)
    assert gain == 0
    assert isinstance(merged, Solution)


@pytest.mark.parametrize("longest", [3, 11])
def test_lengths_out_of_reach_are_refused(longest):
    with pytest.raises(InputError, match="4 to 10"):
        ExactReconstructor(longest)
