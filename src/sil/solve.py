"""The one loop: construct, cut, reconstruct, keep what got shorter, merge, repeat."""

import math
import time
from collections.abc import Callable, Sequence

from sil._native import Interrupt
from sil.construct import Start, curve, start_named
from sil.errors import InputError, InvalidSolutionError, StoppedError, excerpt
from sil.methods import DEFAULT_METHOD, Method, default_starts, method_named
from sil.problem import Problem
from sil.result import Progress, Result
from sil.round import Reconstructor, Round, Turns
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
    interrupt: Interrupt | None = None,
) -> Result:
    """Solve a problem by parallel local reconstruction (paper, section Local Reconstruction).

    Ctrl-C ends the run at once and gives the best solution so far, with `Result.interrupted` set.

    A run that is limited by rounds (`MaxIterations`, `NoImprovement`) and not by time gives equal
    results for equal seeds and an equal number of threads, whatever the method.

    Parameters
    ----------
    problem
        What to solve.
    stop
        Asked before each round, with the best cost; see `sil.stop`.
    seed
        Of all random choices, 0 or more.
    method
        Name of a method or, with options, what `sil.method_named` makes of one. Default: auto.
    start
        Name of a construction in `sil.construct.STARTS`, a function like those, or a valid
        solution to begin with. Default: that of the method.
    reconstructors
        Your own, instead of a method. Several share the rounds by what each gains; with an empty
        list the start is the answer.
    threads
        1 to 1024. Default: all cores that this process may use.
    callback
        Called with the progress after the start and after each round. What it raises ends the run.
    interrupt
        Set it, from a signal handler or another thread, to end the run.

    Raises
    ------
    InputError
        If an argument cannot be used.
    InvalidSolutionError
        If a start or a reconstructor gives a solution that breaks the problem's rules.
    """
    begun = time.perf_counter()
    if not isinstance(problem, Problem):
        raise InputError(f"{excerpt(problem)} is not a Problem: read or make one first")
    require_stop(stop)
    threads = available_threads() if threads is None else require_threads(threads)
    rng = generator(seed)
    interrupt = interrupt or Interrupt()
    left, share = time_left(stop), used(stop)
    # Counting and checking the answer takes time too.
    interrupt.expire_in(max(0.0, left - _FINISHING_PER_NODE * problem.num_nodes))
    seconds = left / (1 - share) if share is not None and share < 1 and left < math.inf else None
    chosen = _chosen_method(problem, method, reconstructors)
    history: list[Progress] = []

    def record(iteration: int, cost: int | float) -> None:
        progress = Progress(iteration, time.perf_counter() - begun, cost)
        if not history or cost < history[-1].cost:
            history.append(progress)
        if callback is not None:
            callback(progress)

    current, origin = _first_solution(problem, start, chosen, seed, threads, interrupt)
    best, cost = current, current.cost(problem)
    turns = Turns(chosen.reconstructors, left if left < math.inf else None)
    iteration = 0
    try:
        record(iteration, cost)
        while chosen.reconstructors and not interrupt.is_set() and not stop(cost):
            number = turns.next()
            reconstructor = chosen.reconstructors[number]
            part = Interrupt(interrupt)
            part.expire_in(turns.limit(number) or math.inf)
            began = time.perf_counter()
            this = Round(rng, threads, part, used(stop), seconds, iteration)
            current = _checked(
                reconstructor.improve(problem, current, this),
                problem,
                f"what the reconstructor {reconstructor.name!r} gave",
            )
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
        method="+".join(each.name for each in chosen.reconstructors) or "none",
        start=origin,
        seed=seed,
        history=tuple(history),
        interrupted=interrupt.requested,
        shares=turns.shares(),
    )


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
        raise InputError("give a method or reconstructors of your own, not both")
    for each in reconstructors:
        if not callable(getattr(each, "improve", None)) or not hasattr(each, "name"):
            raise InputError(f"{excerpt(each)} is no reconstructor: it needs a name and `improve`")
    return Method("own", default_starts(problem), tuple(reconstructors))


def _first_solution(
    problem: Problem,
    start: str | Start | Solution | None,
    method: Method,
    seed: int,
    threads: int,
    interrupt: Interrupt,
) -> tuple[Solution, str]:
    if isinstance(start, Solution):
        return _checked(start, problem, "the start"), "solution"
    if callable(start):
        starts = {"given": start}
    else:
        names = method.starts if start is None else (start,)
        starts = {name: start_named(name, threads) for name in names}
    # There may be too little time for these; there always is for a space-filling curve.
    found: dict[str, Solution] = {}
    try:
        for name, build in starts.items():
            found[name] = _checked(
                build(problem, seed, interrupt), problem, f"what the start {name!r} gave"
            )
    except StoppedError:
        pass
    except KeyboardInterrupt:
        interrupt.set()
    found = found or {"curve": curve(problem, seed, interrupt)}
    best = min(found, key=lambda name: found[name].cost(problem))
    return found[best], best


def _checked(found: object, problem: Problem, source: str) -> Solution:
    """Return what a start or a reconstructor gave, if it can be improved at all.

    Native code relies on it: a node that is missing or there twice would spoil its memory.
    """
    if not isinstance(found, Solution):
        raise InvalidSolutionError(f"{source} is of type {type(found).__name__}, not a Solution")
    if violations := found.check(problem):
        raise InvalidSolutionError(f"{source} is not a valid solution: {summarise(violations)}")
    return found
