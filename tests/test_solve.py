import os
import signal
import threading
import time
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sil
from sil import (
    ExactReconstructor,
    InvalidSolutionError,
    MaxIterations,
    MaxRuntime,
    NoImprovement,
    Solution,
    TargetCost,
    construct,
    generate_cvrp,
    generate_tsp,
)
from sil._native import Interrupt
from tests.strategies import problems, random_solution


@settings(max_examples=40)
@given(problems(), st.integers(0, 1000))
def test_any_problem_is_solved_validly_and_never_made_worse(problem, seed):
    start = random_solution(problem, seed)
    result = sil.solve(
        problem, MaxIterations(5), seed, start=start, reconstructors=[ExactReconstructor()]
    )
    assert result.is_feasible()
    assert result.cost() <= start.cost(problem)
    assert result.num_iterations == 5


@pytest.mark.parametrize("problem", [generate_tsp(1_000), generate_cvrp(1_000, capacity=100)])
def test_reconstruction_improves_a_solution(problem):
    result = sil.solve(
        problem, MaxIterations(60), start="insertion", reconstructors=[ExactReconstructor()]
    )
    assert result.cost() < 0.98 * construct(problem, "insertion").cost(problem)
    costs = [progress.cost for progress in result.history]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] == result.cost()


def test_small_problems_are_solved_to_optimality():
    problem = generate_tsp(7, seed=3)
    result = sil.solve(problem, NoImprovement(60), reconstructors=[ExactReconstructor()])
    nodes = problem.nodes
    best = min(Solution([0, *order]).cost(problem) for order in permutations(nodes[1:].tolist()))
    assert result.cost() == pytest.approx(best)


def test_equal_seeds_give_equal_results_whatever_the_threads():
    problem = generate_cvrp(500, capacity=80)

    def run(seed, threads):
        return sil.solve(
            problem,
            MaxIterations(20),
            seed,
            start="insertion",
            reconstructors=[ExactReconstructor()],
            threads=threads,
        ).best

    assert run(1, 1) == run(1, 2)
    assert run(1, 1) != run(2, 1)


def test_without_a_reconstructor_the_start_is_the_answer():
    problem = generate_tsp(200)
    result = sil.solve(problem, MaxRuntime(5), start="greedy", reconstructors=[])
    assert result.best == construct(problem, "greedy")
    assert (result.num_iterations, result.method, result.start) == (0, "none", "greedy")


def test_the_default_start_of_cvrp_is_the_better_of_two():
    for capacity, expected in ((1_000, "sweep"), (30, "savings")):
        problem = generate_cvrp(5_000, capacity=capacity)
        assert sil.solve(problem, MaxIterations(0)).start == expected


def test_a_start_that_is_not_valid_is_refused():
    with pytest.raises(InvalidSolutionError, match="node 2 is not visited"):
        sil.solve(generate_tsp(3), MaxIterations(1), start=Solution([0, 1]))


@pytest.mark.parametrize(
    ("stop", "seconds"),
    [
        (lambda: MaxRuntime(50), 50),
        (lambda: MaxRuntime(50) | NoImprovement(3), 50),
        (lambda: MaxRuntime(50, time.perf_counter() - 25), 50),
        (lambda: NoImprovement(3), None),
        (lambda: MaxIterations(3), None),
    ],
)
def test_rounds_know_the_time_limit_of_the_whole_run(stop, seconds):
    rounds = []

    class Watching:
        name = "watching"

        def improve(self, problem, solution, this):
            rounds.append(this)
            this.interrupt.set()
            return solution

    sil.solve(generate_tsp(10), stop() | MaxIterations(1), reconstructors=[Watching()])
    assert rounds[0].seconds == (seconds and pytest.approx(seconds, rel=0.02))


def test_target_cost_stops():
    problem = generate_tsp(500)
    start = construct(problem, "insertion")
    target = 0.995 * start.cost(problem)
    result = sil.solve(
        problem,
        TargetCost(target) | MaxRuntime(20),
        start=start,
        reconstructors=[ExactReconstructor()],
    )
    assert result.cost() <= target
    assert result.runtime < 20


def test_callback_sees_every_round():
    seen = []
    sil.solve(
        generate_tsp(100),
        MaxIterations(4),
        reconstructors=[ExactReconstructor()],
        callback=seen.append,
    )
    assert [progress.iteration for progress in seen] == [0, 1, 2, 3, 4]


def test_each_better_solution_is_handed_out_when_it_is_found():
    problem, seen = generate_cvrp(200), []
    result = sil.solve(
        problem,
        MaxIterations(20),
        start="curve",
        on_best=lambda solution, progress: seen.append((solution, progress)),
    )
    assert [progress for _, progress in seen][:-1] == list(result.history)[:-1]
    for solution, progress in seen:
        assert solution.check(problem) == []
        assert solution.cost(problem) == progress.cost
    assert seen[-1][0] == result.best


def test_a_start_with_too_little_time_falls_back_on_the_curve():
    problem = generate_tsp(2_000)
    result = sil.solve(problem, MaxRuntime(0), start="insertion")
    assert result.start == "curve"
    assert result.is_feasible()
    assert not result.interrupted


def test_an_interrupt_from_another_thread_ends_the_run():
    interrupt = Interrupt()
    threading.Timer(0.3, interrupt.set).start()
    begun = time.perf_counter()
    result = sil.solve(
        generate_tsp(2_000),
        MaxRuntime(60),
        reconstructors=[ExactReconstructor()],
        interrupt=interrupt,
    )
    assert result.interrupted
    assert result.is_feasible()
    assert time.perf_counter() - begun < 30


@pytest.fixture
def ctrl_c_counts():
    """Undo what shells do to commands in the background: they ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c_counts")
def test_ctrl_c_inside_native_code_gives_an_answer():
    # Full scans over a matrix: the start alone would take far longer than the test.
    size = 4_000
    nodes = np.arange(size)
    matrix = np.abs(nodes[:, None] - nodes[None, :]).astype(float)
    problem = sil.Problem(matrix=matrix, metric=sil.Metric.EXPLICIT)
    timer = threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT))
    _ = problem.layout, problem.instance
    timer.start()
    result = sil.solve(
        problem, MaxRuntime(60), start="insertion", reconstructors=[ExactReconstructor()]
    )
    timer.join()
    assert result.interrupted
    assert result.is_feasible()
    assert result.runtime < 30


class Rubbish:
    name = "rubbish"

    def __init__(self, given):
        self._given = given

    def improve(self, problem, solution, this):
        return self._given


TSP, CVRP = generate_tsp(60), generate_cvrp(60, capacity=50)
NOT_SOLUTIONS = [
    (TSP, None),
    (TSP, TSP.nodes),
    (TSP, Solution([])),
    (TSP, Solution(np.zeros(60, dtype=int))),
    (TSP, Solution(np.arange(1, 61))),
    (TSP, Solution(-TSP.nodes - 1)),
    (TSP, Solution(TSP.nodes, np.ones(60, dtype=bool))),
    (CVRP, Solution(CVRP.nodes)),
    (CVRP, Solution(CVRP.nodes, np.arange(60) == 0)),
    (CVRP, Solution(CVRP.nodes - 1, np.ones(60, dtype=bool))),
]


@pytest.mark.parametrize(("problem", "rubbish"), NOT_SOLUTIONS)
def test_what_a_start_or_a_reconstructor_gives_is_checked(problem, rubbish):
    with pytest.raises(InvalidSolutionError, match="the start 'given'"):
        sil.solve(problem, MaxIterations(3), start=lambda problem, seed, interrupt: rubbish)
    # The search that follows would take it into native code.
    two = [Rubbish(rubbish), sil.SearchReconstructor()]
    with pytest.raises(InvalidSolutionError, match="the reconstructor 'rubbish'"):
        sil.solve(problem, MaxIterations(3), reconstructors=two)


@pytest.mark.parametrize(
    "arguments",
    [
        {"problem": "a.npz"},
        {"stop": 3},
        {"seed": -1},
        {"seed": 1.5},
        {"threads": 0},
        {"threads": 2**31},
        {"threads": 1.5},
        {"method": "magic"},
        {"start": "magic"},
        {"reconstructors": [3]},
    ],
)
def test_arguments_that_cannot_be_used_are_input_errors(arguments):
    with pytest.raises(sil.InputError):
        sil.solve(**{"problem": TSP, "stop": MaxIterations(1)} | arguments)


def test_the_callers_own_exceptions_come_through():
    class OwnError(Exception):
        pass

    def fail(*_):
        raise OwnError

    for arguments in ({"callback": fail}, {"start": fail}, {"stop": fail}):
        with pytest.raises(OwnError):
            sil.solve(TSP, **{"stop": MaxIterations(1)} | arguments)
