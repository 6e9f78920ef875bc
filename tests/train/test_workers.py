import numpy as np
import pytest

from sil import construct, generate_tsp
from sil._native import Interrupt
from sil.errors import StoppedError
from sil.train.pool import Pool
from sil.train.processes import Processes
from sil.train.workers import Workers, side_by_side
from tests.train.runs import Recorded


def workers(interrupt=None, display=None) -> Workers:
    return Workers(Processes(), 1, interrupt or Interrupt(), display or Recorded())


def new_pool(folder) -> Pool:
    problems = [generate_tsp(20, seed) for seed in range(4)]
    return Pool.create(folder / "pool", problems, folder / "scratch")


@pytest.mark.parametrize("threads", [1, 3])
def test_all_work_is_done_in_order(threads):
    assert side_by_side(lambda i: i * i, range(7), threads, Interrupt()) == [
        i * i for i in range(7)
    ]


def test_work_stops_when_asked():
    interrupt = Interrupt()
    done = []

    def work(index: int) -> None:
        done.append(index)
        if index == 2:
            interrupt.set()

    with pytest.raises(StoppedError):
        side_by_side(work, range(100), 1, interrupt)
    assert done == [0, 1, 2]


def test_a_pool_is_filled_where_solutions_are_missing(tmp_path):
    pool, solved = new_pool(tmp_path), []
    kept = construct(pool.problem(1), "greedy")
    pool.put(1, 5, kept)

    def solve(index):
        solved.append(index)
        return construct(pool.problem(index), "insertion", index)

    display = Recorded()
    workers(display=display).fill(pool, 5, solve, "solving")
    assert solved == [0, 2, 3]
    assert display.statuses == ["solving"] * 3
    assert all(pool.has(index, 5) for index in range(4))
    assert np.array_equal(pool.solution(1, 5).nodes, kept.nodes)


def test_an_interrupt_keeps_what_is_solved(tmp_path):
    pool, interrupt = new_pool(tmp_path), Interrupt()

    def solve(index):
        if index == 1:
            interrupt.set()
        return construct(pool.problem(index), "insertion")

    with pytest.raises(StoppedError):
        workers(interrupt).fill(pool, 0, solve, "solving")
    assert [pool.has(index, 0) for index in range(4)] == [True, True, False, False]


def test_results_come_in_order():
    assert workers().each(lambda index: -index, range(5), "counting") == [0, -1, -2, -3, -4]


def test_an_interrupt_is_noticed_without_work():
    interrupt = Interrupt()
    workers(interrupt).stop_if_asked()
    interrupt.set()
    with pytest.raises(StoppedError):
        workers(interrupt).stop_if_asked()
