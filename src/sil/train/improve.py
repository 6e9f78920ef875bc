"""Improving the labels: the one loop over many instances, as many at a time as threads allow."""

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from sil._native import Interrupt
from sil.errors import StoppedError
from sil.methods import method_named
from sil.policy.native import NativePolicy
from sil.problem import Problem
from sil.solution import Solution
from sil.solve import solve
from sil.stop import MaxIterations

T = TypeVar("T")


def side_by_side(
    work: Callable[[int], T], indices: Iterable[int], threads: int, interrupt: Interrupt
) -> list[T]:
    """Do the work of each index, as many at a time as there are threads.

    What interrupts it waits for the work under way; `StoppedError` says that some was not done.
    """

    def unless_stopped(index: int) -> T:
        StoppedError.raise_if(interrupt)
        return work(index)

    with ThreadPoolExecutor(threads) as executor:
        try:
            return list(executor.map(unless_stopped, indices))
        except KeyboardInterrupt:
            interrupt.set()
            raise


def improved(
    problem: Problem,
    solution: Solution,
    rounds: Mapping[str, int],
    policy: NativePolicy | None,
    longest: int,
    seed: int,
    interrupt: Interrupt,
    *,
    whole_first: bool = False,
) -> Solution:
    """Improve a solution by so many rounds of each reconstructor, one after the other.

    (Paper, section Local Reconstruction to Improve Solution Quality.) Rounds and not seconds, so
    that equal seeds give equal labels. Without a policy its rounds are left out. The whole is not
    rebuilt first unless asked for: labels are good already.
    """
    for name, count in rounds.items():
        if name == "search":
            method = method_named("search", problem)
        elif policy is not None:
            method = method_named(
                "policy", problem, policy=policy, longest=longest, whole_first=whole_first
            )
        else:
            continue
        solution = solve(
            problem,
            MaxIterations(count),
            seed,
            method=method,
            start=solution,
            threads=1,
            interrupt=Interrupt(interrupt),
        ).best
        # Half of the work would do, but an interrupted run could not be repeated exactly.
        StoppedError.raise_if(interrupt)
    return solution
