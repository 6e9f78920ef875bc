"""The one loop: construct, cut, reconstruct, keep what got shorter, merge, repeat."""

import os
import time
from collections.abc import Callable

import numpy as np

from sil._native import Interrupt
from sil.construct import Start, curve, start_named
from sil.problem import Problem
from sil.reconstruct import Reconstructor
from sil.result import Progress, Result
from sil.segments import cut, draw_length
from sil.solution import Solution, require_valid
from sil.stop import Stop, time_left


def default_starts(problem: Problem) -> tuple[str, ...]:
    """Name the starts of which the best is taken: savings suits short routes, sweep long ones."""
    return ("savings",) if problem.kind == "TSP" else ("sweep", "savings")


def solve(
    problem: Problem,
    stop: Stop,
    seed: int = 0,
    *,
    start: str | Start | Solution | None = None,
    reconstructor: Reconstructor | None = None,
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
    reconstructor
        What rebuilds the partial solutions; without one, the start is the answer.
    threads
        By default all cores that this process may use.
    callback
        Called with the progress after the start and after each round.
    interrupt
        Set it, from a signal handler or another thread, to end the run.
    """
    begun = time.perf_counter()
    interrupt = interrupt or Interrupt()
    interrupt.expire_in(time_left(stop))
    threads = threads or available_threads()
    rng = np.random.default_rng(seed)
    history: list[Progress] = []

    def record(iteration: int, cost: int | float) -> None:
        progress = Progress(iteration, time.perf_counter() - begun, cost)
        if not history or cost < history[-1].cost:
            history.append(progress)
        if callback is not None:
            callback(progress)

    best, origin = _first_solution(problem, start, seed, interrupt)
    cost = best.cost(problem)
    iteration = 0
    try:
        record(iteration, cost)
        while reconstructor is not None and not interrupt.is_set() and not stop(cost):
            length = draw_length(problem.num_nodes, reconstructor.longest, rng)
            pieces = cut(problem, best, length, rng)
            rebuilt = reconstructor.reconstruct(
                problem, pieces.parts, int(rng.integers(2**62)), threads, interrupt
            )
            candidate, gain = pieces.merge(problem, rebuilt)
            if gain > 0:
                best, cost = candidate, candidate.cost(problem)
            iteration += 1
            record(iteration, cost)
    except KeyboardInterrupt:
        interrupt.set()

    require_valid(best, problem)
    return Result(
        problem=problem,
        best=best,
        num_iterations=iteration,
        runtime=time.perf_counter() - begun,
        method="none" if reconstructor is None else reconstructor.name,
        start=origin,
        seed=seed,
        history=tuple(history),
        interrupted=interrupt.requested,
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
            solution = build(problem, seed, interrupt)
            if solution is not None:
                found[name] = solution
    except KeyboardInterrupt:
        interrupt.set()
    found = found or {"curve": curve(problem, seed, interrupt)}
    best = min(found, key=lambda name: found[name].cost(problem))
    return found[best], best
