import math
import time

import pytest

from sil import InputError, MaxIterations, MaxRuntime, MultipleCriteria, NoImprovement, TargetCost
from sil.stop import time_left, used


def test_max_runtime_counts_from_when_it_was_told():
    assert not MaxRuntime(100)(1)
    assert MaxRuntime(100, started=time.perf_counter() - 101)(1)
    assert 99 < time_left(MaxRuntime(100)) <= 100
    assert time_left(MaxRuntime(1, started=time.perf_counter() - 5)) == 0


def test_max_iterations_counts_calls():
    stop = MaxIterations(2)
    assert [stop(1) for _ in range(4)] == [False, False, True, True]
    assert MaxIterations(0)(1)


def test_no_improvement_starts_again_with_each_improvement():
    stop = NoImprovement(2)
    assert [stop(cost) for cost in (10, 10, 9, 9, 9)] == [False, False, False, False, True]


def test_target_cost():
    assert [TargetCost(5)(cost) for cost in (6, 5, 4)] == [False, True, True]


def test_any_criterion_stops_and_all_of_them_count():
    stop = MaxIterations(3) | NoImprovement(2) | MaxRuntime(50)
    assert [stop(cost) for cost in (9, 8, 7, 7)] == [False, False, False, True]
    assert 49 < time_left(stop) <= 50


def test_a_plain_function_has_no_time_limit():
    assert time_left(lambda cost: False) == math.inf
    assert time_left(MultipleCriteria([lambda cost: False, TargetCost(1)])) == math.inf


@pytest.mark.parametrize(
    "make",
    [
        lambda: MaxRuntime(-1),
        lambda: MaxRuntime(math.nan),
        lambda: MaxIterations(-1),
        lambda: NoImprovement(0),
        lambda: MultipleCriteria([]),
        lambda: MultipleCriteria([3]),
        lambda: MaxRuntime("3"),
        lambda: MaxRuntime(10**400),
        lambda: MaxIterations(math.nan),
        lambda: MaxIterations(2.5),
        lambda: MaxIterations(True),
        lambda: NoImprovement(math.inf),
        lambda: TargetCost(math.nan),
        lambda: TargetCost(None),
    ],
)
def test_nonsense_is_refused(make):
    with pytest.raises(InputError):
        make()


def test_the_used_share_of_a_budget():
    iterations = MaxIterations(4)
    shares = [(iterations(1.0), iterations.used())[1] for _ in range(4)]
    assert shares == [0.25, 0.5, 0.75, 1.0]
    now = time.perf_counter()
    assert 0.5 <= MaxRuntime(10, started=now - 5).used() < 0.6
    assert MaxRuntime(10, started=now - 99).used() == 1.0
    assert MaxRuntime(0).used() == MaxIterations(0).used() == 1.0
    both = MaxRuntime(100, started=now - 10) | MaxIterations(2)
    both(1.0)
    assert used(both) == 0.5


def test_an_end_that_nobody_knows():
    assert used(TargetCost(1)) is None
    assert used(NoImprovement(3) | MaxRuntime(5)) is None
    assert used(lambda cost: False) is None
