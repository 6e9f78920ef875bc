"""Named methods: how a run starts, and what improves its solution.

The command line, the benchmarks and training all use these, so a name means the same everywhere.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sil.errors import InputError
from sil.policy.engine import PolicyEngine
from sil.policy.load import load_engine
from sil.problem import Problem
from sil.reconstruct.exact import ExactReconstructor
from sil.reconstruct.policy import PolicyReconstructor
from sil.reconstruct.protocol import Reconstructor
from sil.reconstruct.search import SearchReconstructor

PolicySource = PolicyEngine | Path | str


@dataclass(frozen=True)
class Method:
    """A way to solve a problem.

    Parameters
    ----------
    starts
        Names from `sil.construct.STARTS`. The best of their solutions is improved.
    reconstructors
        What improves the solution. Several share the rounds; with none, the start is the result.
    """

    starts: tuple[str, ...]
    reconstructors: tuple[Reconstructor, ...]


@dataclass(frozen=True)
class _Options:
    """Options of a method. None means the method's default."""

    policy: PolicySource | None = None
    longest: int | None = None
    whole_first: bool | None = None
    device: str | None = None

    def loaded(self, problem: Problem) -> PolicyEngine:
        if not isinstance(self.policy, PolicyEngine):
            return load_engine(problem, self.policy or "fast", self.device)
        if self.device is not None:
            raise InputError("a loaded policy already has a device: pass its weights instead")
        self.policy.require_kind(problem)
        return self.policy


@dataclass(frozen=True)
class _Recipe:
    make: Callable[[Problem, _Options], tuple[Reconstructor, ...]]
    takes: tuple[str, ...] = ()  # the options that it uses; others are refused
    start: str | None = None  # default: chosen for the problem type and size


def _policy(problem: Problem, options: _Options) -> tuple[Reconstructor, ...]:
    whole_first = True if options.whole_first is None else options.whole_first
    return (PolicyReconstructor(options.loaded(problem), options.longest, whole_first),)


def _search(problem: Problem, options: _Options) -> tuple[Reconstructor, ...]:
    del options
    SearchReconstructor.expect(problem)
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
    # The best that was measured. Rounds of the policy only cost the search time (docs/log.md).
    "auto": _Recipe(_search),
    "search": _Recipe(_search),
    # The paper's PRC starts from random insertion.
    "policy": _Recipe(_policy, ("policy", "longest", "whole_first", "device"), "insertion"),
    "exact": _Recipe(_exact, ("longest",)),
    "none": _Recipe(_none),
}
METHODS = tuple(_RECIPES)
DEFAULT_METHOD = "auto"
_NAMES = {
    "policy": "a policy",
    "longest": "l_max",
    "whole_first": "whole-first",
    "device": "a device",
}


def method_named(
    name: str,
    problem: Problem,
    *,
    policy: PolicySource | None = None,
    longest: int | None = None,
    whole_first: bool | None = None,
    device: str | None = None,
) -> Method:
    """Make a method for a problem. An option that the method would ignore is an error.

    Parameters
    ----------
    name
        One of `METHODS`.

        - auto: whatever was measured to be best: today the search.
        - search: native search, region by region, among the edges that a small network has learned
          to be likely.
        - policy: the learned policy rebuilds partial solutions, starting from random insertion.
          After k rounds this is the paper's PRCk (section Local Reconstruction).
        - exact: finds the best order of short runs of nodes by trying all.
        - none: the start is the result.
    problem
        The problem to solve.
    policy
        For policy: a loaded policy, a weights file, or the name of shipped weights.
        Default: the shipped weights "fast".
    longest
        For policy and exact: l_max, the length of the longest partial solutions.
        Default: 1000 for the policy on TSP, 300 on CVRP; 8 for exact.
    whole_first
        For policy: whether the first round rebuilds a CVRP as a whole. Default: yes.
    device
        For policy: the PyTorch device that runs the network, such as "cuda". Default: the
        C++ engine on the CPU.
    """
    if name not in _RECIPES:
        raise InputError(f"unknown method {name!r}: choose from {', '.join(METHODS)}")
    recipe, options = _RECIPES[name], _Options(policy, longest, whole_first, device)
    for option, value in vars(options).items():
        if value is not None and option not in recipe.takes:
            takers = [each for each, other in _RECIPES.items() if option in other.takes]
            raise InputError(
                f"the method {name} does not use {_NAMES[option]}: leave it out, or choose "
                f"{' or '.join(takers)}"
            )
    starts = default_starts(problem) if recipe.start is None else (recipe.start,)
    return Method(starts, recipe.make(problem, options))


def uses_policy(name: str) -> bool:
    """Whether the named method uses a policy."""
    return "policy" in _RECIPES[name].takes


def default_starts(problem: Problem) -> tuple[str, ...]:
    """Choose the starts for a problem: savings suits short routes, sweep long ones."""
    if problem.kind == "TSP":
        return ("greedy",)
    # With many routes, the sectors of a sweep are too thin and it takes long; so it does if routes
    # are ended by their length, because none of them is full.
    few = problem.fewest_routes <= 500 and not problem.has_route_limits
    return ("sweep", "savings") if few else ("savings",)
