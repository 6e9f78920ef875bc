import numpy as np
import pytest

from sil import NativePolicy, construct, generate_cvrp, generate_tsp
from sil._native import Interrupt
from sil.errors import StoppedError
from sil.train.improve import improved


@pytest.mark.parametrize("kind", ["TSP", "CVRP"])
@pytest.mark.parametrize("rounds", [{"policy": 3}, {"search": 2}, {"search": 1, "policy": 2}])
def test_labels_get_better_and_equal_seeds_give_equal_ones(kind, rounds):
    problem = generate_tsp(100) if kind == "TSP" else generate_cvrp(100)
    policy = NativePolicy.load(problem)
    start = construct(problem, "insertion")
    found = [improved(problem, start, rounds, policy, 60, 5, Interrupt()) for _ in range(2)]
    assert found[0].check(problem) == []
    assert found[0].cost(problem) < start.cost(problem)
    assert np.array_equal(found[0].nodes, found[1].nodes)


def test_without_a_policy_its_rounds_are_skipped():
    problem = generate_tsp(50)
    start = construct(problem, "insertion")
    assert improved(problem, start, {"policy": 5}, None, 50, 0, Interrupt()) is start


def test_interrupted_work_is_not_passed_off_as_done():
    interrupt = Interrupt()
    interrupt.set()
    problem = generate_tsp(50)
    start = construct(problem, "insertion")
    with pytest.raises(StoppedError):
        improved(problem, start, {"search": 5}, None, 50, 0, interrupt)
