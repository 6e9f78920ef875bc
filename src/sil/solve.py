"""The one loop: construct, cut, reconstruct, keep what got shorter, merge, repeat."""

import math
import os
import time
from collections.abc import Callable, Sequence

import numpy as np

from sil._native import Interrupt
from sil.construct import Start, curve, start_named
from sil.errors import StoppedError
from sil.problem import Problem
from sil.result import Progress, Result
from sil.round import Reconstructor, Round, Turns
from sil.search import SearchReconstructor
from sil.solution import Solution, require_valid
from sil.stop import Stop, time_left, used

_FINISHING_PER_NODE = 5e-7  # seconds


def default_starts(problem: Problem) -> tuple[str, ...]:
    """Name the starts of which the best is taken: savings suits short routes, sweep long ones."""
    if problem.kind == "TSP":
        return ("greedy",)
    # Among many routes the sectors of a sweep are too thin, and it would take longest there.
    return ("sweep", "savings") if problem.fewest_routes <= 500 else ("savings",)


def solve(
    problem: Problem,
    stop: Stop,
    seed: int = 0,
    *,
    start: str | Start | Solution | None = None,
    reconstructors: Sequence[Reconstructor] | None = None,
    threads: int | None = None,
    callback: Callable[[Progress], None] | None = None,
    interrupt: Interrupt | None = None,
) -> Result:
    """Solve a problem by parallel local reconstruction (paper, section Local Reconstruction).

    Ctrl-C ends the run at once and gives the best solution so far, with `Result.interrupted` set.

    Parameters
    ----------
    problem
        What to solve.
    stop
        Asked before each round, with the best cost; see `sil.stop`.
    seed
        Equal seeds give equal results for the same number of rounds.
    start
        Name of a construction in `sil.construct.STARTS`, a function like those, or a valid
        solution to begin with; by default the one that suits the problem.
    reconstructors
        What rebuilds the partial solutions. Several share the time by the improvement per second
        that each shows; with an empty list the start is the answer. Default: the native search.
    threads
        By default all cores that this process may use.
    callback
        Called with the progress after the start and after each round.
    interrupt
        Set it, from a signal handler or another thread, to end the run.
    """
    begun = time.perf_counter()
    interrupt = interrupt or Interrupt()
    if reconstructors is None:
        reconstructors = [SearchReconstructor()]
    left, share = time_left(stop), used(stop)
    # Counting and checking the answer takes time too.
    interrupt.expire_in(max(0.0, left - _FINISHING_PER_NODE * problem.num_nodes))
    seconds = left / (1 - share) if share is not None and share < 1 and left < math.inf else None
    threads = threads or available_threads()
    rng = np.random.default_rng(seed)
    history: list[Progress] = []

    def record(iteration: int, cost: int | float) -> None:
        progress = Progress(iteration, time.perf_counter() - begun, cost)
        if not history or cost < history[-1].cost:
            history.append(progress)
        if callback is not None:
            callback(progress)

    current, origin = _first_solution(problem, start, seed, interrupt)
    best, cost = current, current.cost(problem)
    turns = Turns(reconstructors)
    iteration = 0
    try:
        record(iteration, cost)
        while reconstructors and not interrupt.is_set() and not stop(cost):
            number = turns.next()
            part = Interrupt(interrupt)
            part.expire_in(turns.limit(number, seconds) or math.inf)
            began = time.perf_counter()
            this = Round(rng, threads, part, used(stop), seconds, iteration)
            current = reconstructors[number].improve(problem, current, this)
            before, new_cost = cost, current.cost(problem)
            if new_cost < cost:
                best, cost = current, new_cost
            took = time.perf_counter() - began
            turns.record(number, took, before - cost, is_best=new_cost <= cost)
            iteration += 1
            record(iteration, cost)
    except StoppedError:
        pass
    except KeyboardInterrupt:
        interrupt.set()

    require_valid(best, problem)
    return Result(
        problem=problem,
        best=best,
        num_iterations=iteration,
        runtime=time.perf_counter() - begun,
        method="+".join(each.name for each in reconstructors) or "none",
        start=origin,
        seed=seed,
        history=tuple(history),
        interrupted=interrupt.requested,
        shares=turns.shares(),
    )


def available_threads() -> int:
    """Count the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _first_solution(
    problem: Problem, start: str | Start | Solution | None, seed: int, interrupt: Interrupt
) -> tuple[Solution, str]:
    if isinstance(start, Solution):
        require_valid(start, problem)
        return start, "solution"
    if callable(start):
        starts = {"given": start}
    else:
        names = default_starts(problem) if start is None else (start,)
        starts = {name: start_named(name) for name in names}
    # There may be too little time for these; there always is for a space-filling curve.
    found: dict[str, Solution] = {}
    try:
        for name, build in starts.items():
            found[name] = build(problem, seed, interrupt)
    except StoppedError:
        pass
    except KeyboardInterrupt:
        interrupt.set()
    found = found or {"curve": curve(problem, seed, interrupt)}
    best = min(found, key=lambda name: found[name].cost(problem))
    return found[best], best
