"""The main loop: construct a solution, then reconstruct parts of it and keep what is shorter."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from sil._native import Interrupt
from sil.construct import Start, curve, start_named
from sil.errors import InputError, InvalidSolutionError, StoppedError, excerpt
from sil.methods import DEFAULT_METHOD, Method, default_starts, method_named
from sil.problem import Problem
from sil.reconstruct.protocol import Reconstructor, Round
from sil.reconstruct.turns import Turns
from sil.result import Progress, Result
from sil.seeds import generator
from sil.solution import Solution, require_valid, summarise
from sil.stop import Stop, require_stop, time_left, used
from sil.threads import available_threads, require_threads

_FINISHING_PER_NODE = 5e-7  # seconds


def solve(
    problem: Problem,
    stop: Stop,
    seed: int = 0,
    *,
    method: str | Method | None = None,
    start: str | Start | Solution | None = None,
    reconstructors: Sequence[Reconstructor] | None = None,
    threads: int | None = None,
    callback: Callable[[Progress], None] | None = None,
    on_best: Callable[[Solution, Progress], None] | None = None,
    interrupt: Interrupt | None = None,
) -> Result:
    """Solve a problem by parallel local reconstruction (paper, section Local Reconstruction).

    If no solution with as few routes as there are vehicles was found, the best one with more is
    returned, and `Result.is_feasible` is false.

    Ctrl-C ends the run and returns the best solution so far, with `Result.interrupted` set.

    If rounds (`MaxIterations`, `NoImprovement`) and not time limit the run, equal seeds and equal
    numbers of threads give equal results with every method.

    Parameters
    ----------
    problem
        The problem to solve.
    stop
        When to stop. Called with the best cost before each round; see `sil.stop`.
    seed
        Seed of all random choices, 0 or more.
    method
        Name of a method, or the result of `sil.method_named` to set options. Default: auto.
    start
        Name from `sil.construct.STARTS`, a function with the same signature, or a valid solution.
        Default: that of the method.
    reconstructors
        Your own reconstructors, instead of a method. Several share the rounds; the one that gains
        more gets more. With an empty list, the start is the result.
    threads
        1 to 1024. Default: all cores that this process may use.
    callback
        Called with the progress after the start and after each round. An exception ends the run.
    on_best
        Called with the start and with each better solution, all valid. An exception ends the run.
    interrupt
        Set it from a signal handler or another thread to end the run.

    Raises
    ------
    InputError
        If an argument is invalid.
    InvalidSolutionError
        If a start or a reconstructor returns a solution that violates the problem's rules.
    """
    begun = time.perf_counter()
    if not isinstance(problem, Problem):
        raise InputError(f"{excerpt(problem)} is not a Problem: read or create one first")
    require_stop(stop)
    threads = available_threads() if threads is None else require_threads(threads)
    rng = generator(seed)
    interrupt = interrupt or Interrupt()
    left = time_left(stop)
    # Reserve time to compute the final cost and to check the solution.
    interrupt.expire_in(max(0.0, left - _FINISHING_PER_NODE * problem.num_nodes))
    seconds = _seconds_of_the_run(stop)
    chosen = _chosen_method(problem, method, reconstructors)
    # Too many routes are no reason to refuse a solution: the search works towards fewer.
    any_fleet = problem.replace(max_vehicles=None) if problem.max_vehicles else problem
    current, origin = _first_solution(problem, any_fleet, start, chosen, seed, threads, interrupt)
    best, cost = current, current.cost(problem)
    history = [Progress(0, time.perf_counter() - begun, cost)]

    def record(progress: Progress, is_better: bool) -> None:
        if is_better:
            history.append(progress)
        if on_best is not None and (is_better or progress.iteration == 0):
            on_best(best, progress)
        if callback is not None:
            callback(progress)

    turns = Turns(chosen.reconstructors, left if left < math.inf else None)
    iteration = 0
    try:
        record(history[0], False)
        while chosen.reconstructors and not interrupt.is_set() and not stop(cost):
            number = turns.next()
            reconstructor = chosen.reconstructors[number]
            part = Interrupt(interrupt)
            part.expire_in(turns.limit(number) or math.inf)
            began = time.perf_counter()
            this = Round(rng, threads, part, used(stop), seconds, iteration)
            current = _checked(
                reconstructor.improve(problem, current, this),
                any_fleet,
                f"the result of the reconstructor {reconstructor.name!r}",
            )
            before, new_cost = cost, current.cost(problem)
            if is_better := _rank(problem, current) < _rank(problem, best):
                best, cost = current, new_cost
            took = time.perf_counter() - began
            turns.record(number, took, before - cost, is_best=new_cost <= cost)
            iteration += 1
            record(Progress(iteration, time.perf_counter() - begun, cost), is_better)
    except StoppedError:
        pass
    except KeyboardInterrupt:
        interrupt.set()

    best = Solution(best.nodes, best.via_depot)  # without its cost: independent code recomputes it
    require_valid(best, any_fleet)
    history[-1] = replace(history[-1], cost=best.cost(problem))
    return Result(
        problem=problem,
        best=best,
        num_iterations=iteration,
        runtime=time.perf_counter() - begun,
        method="+".join(each.name for each in chosen.reconstructors) or "none",
        start=origin,
        seed=seed,
        history=tuple(history),
        interrupted=interrupt.requested,
        shares=turns.shares(),
    )


def _seconds_of_the_run(stop: Stop) -> float | None:
    """Return the time limit, including what is over; None if there is none."""
    left = time_left(stop)
    # A patience has no known share that is used.
    return left / max(1 - (used(stop) or 0.0), 1e-9) if left < math.inf else None


def _rank(problem: Problem, solution: Solution) -> tuple[int, float]:
    """Order solutions: the fewer vehicles beyond the fleet the better, then the cheaper."""
    return problem.excess(solution.num_routes), solution.cost(problem)


def _chosen_method(
    problem: Problem,
    method: str | Method | None,
    reconstructors: Sequence[Reconstructor] | None,
) -> Method:
    if reconstructors is None:
        if isinstance(method, Method):
            return method
        return method_named(DEFAULT_METHOD if method is None else method, problem)
    if method is not None:
        raise InputError("pass a method or your own reconstructors, not both")
    for each in reconstructors:
        if not callable(getattr(each, "improve", None)) or not hasattr(each, "name"):
            raise InputError(
                f"{excerpt(each)} is not a reconstructor: it needs `name` and `improve`"
            )
    return Method(default_starts(problem), tuple(reconstructors))


def _first_solution(
    problem: Problem,
    any_fleet: Problem,
    start: str | Start | Solution | None,
    method: Method,
    seed: int,
    threads: int,
    interrupt: Interrupt,
) -> tuple[Solution, str]:
    if isinstance(start, Solution):
        return _checked(start, any_fleet, "the start"), "solution"
    if callable(start):
        starts = {"given": start}
    else:
        names = method.starts if start is None else (start,)
        starts = {name: start_named(name, threads) for name in names}
    # There may be too little time for these. A space-filling curve is always quick enough.
    found: dict[str, Solution] = {}
    try:
        for name, build in starts.items():
            found[name] = _checked(
                build(problem, seed, interrupt), any_fleet, f"the result of the start {name!r}"
            )
    except StoppedError:
        pass
    except KeyboardInterrupt:
        interrupt.set()
    found = found or {"curve": curve(problem, seed, interrupt)}
    best = min(
        found,
        key=lambda name: (problem.excess(found[name].num_routes), found[name].cost(problem)),
    )
    return found[best], best


def _checked(found: object, problem: Problem, source: str) -> Solution:
    """Return the result of a start or a reconstructor, if it is valid.

    Native code relies on this: a missing or repeated node could corrupt its memory.
    """
    if not isinstance(found, Solution):
        raise InvalidSolutionError(f"{source} is of type {type(found).__name__}, not a Solution")
    if violations := found.check(problem):
        raise InvalidSolutionError(f"{source} is not a valid solution: {summarise(violations)}")
    return found
