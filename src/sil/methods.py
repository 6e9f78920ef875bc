"""Named methods: what a run starts from, and what improves it.

The command, the benchmarks and training all take their methods from here, so that a name means the
same everywhere.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sil.errors import InputError
from sil.policy.native import NativePolicy
from sil.problem import Problem
from sil.reconstruct import ExactReconstructor, PolicyReconstructor
from sil.round import Reconstructor
from sil.search import SearchReconstructor

PolicySource = NativePolicy | Path | str


@dataclass(frozen=True)
class Method:
    """A way to solve a problem.

    Parameters
    ----------
    name
        Shown to people.
    starts
        Names of constructions in `sil.construct.STARTS`; the best of their solutions is improved.
    reconstructors
        What improves it. Several share the rounds; with none, the start is the answer.
    """

    name: str
    starts: tuple[str, ...]
    reconstructors: tuple[Reconstructor, ...]


@dataclass(frozen=True)
class _Options:
    """What a method may be told; a field that is None was left to the method."""

    policy: PolicySource | None = None
    longest: int | None = None
    whole_first: bool | None = None

    def loaded(self, problem: Problem) -> NativePolicy:
        if not isinstance(self.policy, NativePolicy):
            return NativePolicy.load(problem, self.policy or "fast")
        if self.policy.config.problem != problem.kind:
            raise InputError(
                f"this policy is for {self.policy.config.problem}, the problem is a {problem.kind}"
            )
        return self.policy


@dataclass(frozen=True)
class _Recipe:
    make: Callable[[Problem, _Options], tuple[Reconstructor, ...]]
    takes: tuple[str, ...] = ()  # the options that it heeds; others are refused
    start: str | None = None  # by default what suits the problem


def _auto(problem: Problem, options: _Options) -> tuple[Reconstructor, ...]:
    policy = PolicyReconstructor(options.loaded(problem), options.longest)
    return SearchReconstructor(), policy


def _policy(problem: Problem, options: _Options) -> tuple[Reconstructor, ...]:
    whole_first = True if options.whole_first is None else options.whole_first
    return (PolicyReconstructor(options.loaded(problem), options.longest, whole_first),)


def _search(problem: Problem, options: _Options) -> tuple[Reconstructor, ...]:
    del problem, options
    return (SearchReconstructor(),)


def _exact(problem: Problem, options: _Options) -> tuple[Reconstructor, ...]:
    del problem
    return (
        ExactReconstructor() if options.longest is None else ExactReconstructor(options.longest),
    )


def _none(problem: Problem, options: _Options) -> tuple[Reconstructor, ...]:
    del problem, options
    return ()


_RECIPES: dict[str, _Recipe] = {
    "auto": _Recipe(_auto, ("policy", "longest")),
    "search": _Recipe(_search),
    # The paper's PRC starts from random insertion.
    "policy": _Recipe(_policy, ("policy", "longest", "whole_first"), "insertion"),
    "exact": _Recipe(_exact, ("longest",)),
    "none": _Recipe(_none),
}
METHODS = tuple(_RECIPES)
DEFAULT_METHOD = "auto"
_NAMES = {
    "policy": "a policy",
    "longest": "a longest partial solution",
    "whole_first": "whole first",
}


def method_named(
    name: str,
    problem: Problem,
    *,
    policy: PolicySource | None = None,
    longest: int | None = None,
    whole_first: bool | None = None,
) -> Method:
    """Make a method for a problem. An option that the method would ignore is an error.

    Parameters
    ----------
    name
        One of `METHODS`.

        - auto: search and policy share the rounds by what each gains.
        - search: native search, region by region.
        - policy: the learned policy rebuilds partial solutions, from random insertion. After k
          rounds this is the paper's PRCk (section Local Reconstruction).
        - exact: the best order of every few neighbouring nodes.
        - none: the start is the answer.
    problem
        What will be solved.
    policy
        For auto and policy: the policy itself, a file of weights, or the name of shipped ones.
        Default: the shipped weights "fast".
    longest
        For auto, policy and exact: the paper's l_max, the length of the longest partial solutions.
        Default: 1000 for the policy on TSP, 300 on CVRP; 8 for exact.
    whole_first
        For policy: whether the first round rebuilds a CVRP as a whole. Default: yes.
    """
    if name not in _RECIPES:
        raise InputError(f"unknown method {name!r}: choose from {', '.join(METHODS)}")
    recipe, options = _RECIPES[name], _Options(policy, longest, whole_first)
    for option, value in vars(options).items():
        if value is not None and option not in recipe.takes:
            takers = [each for each, other in _RECIPES.items() if option in other.takes]
            raise InputError(
                f"the method {name} does not use {_NAMES[option]}: leave it out, or choose "
                f"{' or '.join(takers)}"
            )
    starts = default_starts(problem) if recipe.start is None else (recipe.start,)
    return Method(name, starts, recipe.make(problem, options))


def uses_policy(name: str) -> bool:
    """Whether the method of this name has a policy."""
    return "policy" in _RECIPES[name].takes


def default_starts(problem: Problem) -> tuple[str, ...]:
    """Name the starts that suit a problem: savings suits short routes, sweep long ones."""
    if problem.kind == "TSP":
        return ("greedy",)
    # Among many routes the sectors of a sweep are too thin, and it would take longest there.
    return ("sweep", "savings") if problem.fewest_routes <= 500 else ("savings",)
