"""Local reconstruction of a label: the loop of `sil.solve`, by rounds instead of time."""

from collections.abc import Mapping

from sil._native import Interrupt
from sil.errors import StoppedError
from sil.methods import method_named
from sil.policy.engine import PolicyEngine
from sil.problem import Problem
from sil.solution import Solution
from sil.solve import solve
from sil.stop import MaxIterations


def improved(
    problem: Problem,
    solution: Solution,
    rounds: Mapping[str, int],
    policy: PolicyEngine | None,
    longest: int,
    seed: int,
    interrupt: Interrupt,
    *,
    whole_first: bool = False,
) -> Solution:
    """Improve a solution (paper, section Local Reconstruction to Improve Solution Quality).

    Parameters
    ----------
    problem
        The instance.
    solution
        Where to start.
    rounds
        Rounds of ``policy`` and ``search``, one after the other. Rounds instead of seconds make
        the result depend on the seed only.
    policy
        Rebuilds partial solutions; if it is None, its rounds are skipped.
    longest
        The paper's l_max.
    seed
        Equal seeds give equal results.
    interrupt
        Ends it with `StoppedError`.
    whole_first
        Whether the policy first rebuilds the whole solution. Labels are too good for that.
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
        # A partly improved label would be valid, but the resumed run would differ.
        StoppedError.raise_if(interrupt)
    return solution
