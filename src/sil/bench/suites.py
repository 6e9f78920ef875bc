"""The experiments: which methods run on which instances, at three scales."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from sil.bench.decoding_memory import DECODING_STEPS
from sil.bench.method_name import PRC, MethodName
from sil.bench.own_methods import OWN_METHODS
from sil.bench.peers import PEERS
from sil.bench.sets import Case, cases, library_cases, require_references
from sil.errors import InputError
from sil.policy.weights import load


class Scale(StrEnum):
    """How large an experiment is."""

    SMOKE = "smoke"
    QUICK = "quick"
    FULL = "full"


@dataclass(frozen=True)
class Options:
    """The user's choices.

    Parameters
    ----------
    scale
        How large the experiment is.
    data
        A folder of instance files and best known costs; the suite library needs it.
    weights
        Weights files to compare with the shipped weights.
    peers
        Whether to run other solvers, too.
    """

    scale: Scale = Scale.QUICK
    data: Path | None = None
    weights: tuple[Path, ...] = ()
    peers: bool = True


@dataclass(frozen=True)
class Group:
    """Instances that the same methods solve.

    Parameters
    ----------
    cases
        The instances, which may be generated lazily.
    count
        Number of instances.
    methods
        The methods that solve them.
    seconds
        Time limits of the methods that take one; there is one run per limit.
    """

    cases: Iterable[Case]
    count: int
    methods: tuple[MethodName, ...]
    seconds: tuple[float, ...] = (0.0,)


Methods = tuple[MethodName, ...]


def _named(*names: str) -> Methods:
    return tuple(MethodName(name) for name in names)


def _prc(*rounds: int) -> Methods:
    return tuple(MethodName(PRC, count) for count in rounds)


def _peers(options: Options) -> Methods:
    return _named(*(peer.name for peer in PEERS)) if options.peers else ()


_TIMED = _named(*(method.name for method in OWN_METHODS if method.timed))
_CONSTRUCTIONS = _named("insertion", "greedy")


def _uniform(options: Options) -> list[Group]:
    """Solve uniform instances of all sizes (paper, main results)."""
    few, more = _prc(10, 100), _prc(10, 50, 100)
    sizes: dict[Scale, list[tuple[str, int, Methods, float]]] = {
        Scale.SMOKE: [("-60", 1, _prc(2), 0.5)],
        Scale.QUICK: [
            ("1k", 2, few, 5),
            ("5k", 1, few, 10),
            ("10k", 1, few, 20),
            ("100k", 1, _prc(10), 30),
        ],
        Scale.FULL: [
            ("1k", 32, (*more, *_prc(500, 1000)), 30),
            ("5k", 16, (*more, *_prc(500)), 60),
            ("10k", 8, more, 120),
            ("50k", 2, more, 300),
            ("100k", 2, more, 300),
        ],
    }
    return _on_both(options, sizes[options.scale])


def _on_both(options: Options, sizes: list[tuple[str, int, Methods, float]]) -> list[Group]:
    """Solve sets of both problems: with PRC for some rounds, with the others in a time limit."""
    require_references(options.data)
    return [
        Group(
            cases(kind + size, count, options.data),
            count,
            (*_CONSTRUCTIONS, *rounds, *_TIMED, *_peers(options)),
            (seconds,),
        )
        for size, count, rounds, seconds in sizes
        for kind in ("tsp", "cvrp")
    ]


def _capacity(options: Options) -> list[Group]:
    """Solve CVRP with the tighter capacities of other papers (paper, appendix)."""
    names = {"cvrp1k-c200": 10.0, "cvrp2k-c300": 10.0, "cvrp5k-c300": 20.0, "cvrp7k-c300": 20.0}
    count = {Scale.SMOKE: 1, Scale.QUICK: 1, Scale.FULL: 16}[options.scale]
    rounds = _prc(10, 50, 100)
    if options.scale is Scale.SMOKE:
        names, rounds = {"cvrp-60": 0.5}, _prc(2)
    elif options.scale is Scale.FULL:
        names = {name: 6 * seconds for name, seconds in names.items()}
        rounds = (*rounds, *_prc(500, 1000))
    methods = (*_CONSTRUCTIONS, *rounds, *_TIMED, *_peers(options))
    return [
        Group(cases(name, count), count, methods, (seconds,)) for name, seconds in names.items()
    ]


def _library(options: Options) -> list[Group]:
    """Solve instance files with best known costs (paper, TSPLIB and CVRPLIB)."""
    if options.data is None:
        raise InputError("the suite library needs --data: a folder with best_known.csv")
    found = list(library_cases(options.data))
    if not found:
        raise InputError(f"{options.data}: no .tsp or .vrp file is named in best_known.csv")
    if options.scale is Scale.SMOKE:
        found = sorted(found, key=lambda case: case.problem.num_nodes)[:2]
        methods = (*_CONSTRUCTIONS, *_prc(2), *_named("search"))
        return [Group(found, len(found), methods, (0.5,))]
    if options.scale is Scale.QUICK:
        found = [case for case in found if 3_000 <= case.problem.num_nodes <= 10_000]
        if not found:
            raise InputError(
                f"{options.data}: no instance has 3,000 to 10,000 nodes, which --scale quick is "
                "limited to; --scale full takes all sizes"
            )
    rounds, seconds = {
        Scale.QUICK: (_prc(10), 20.0),
        Scale.FULL: (_prc(10, 100, 1000), 300.0),
    }[options.scale]
    methods = (*_CONSTRUCTIONS, *rounds, *_named("search"), *_peers(options))
    return [Group(found, len(found), methods, (seconds,))]


def _memory(options: Options) -> list[Group]:
    """Measure one decoding step with linear and with full attention (paper, memory tables)."""
    sizes = {
        Scale.SMOKE: (50, 100),
        Scale.QUICK: (1_000, 5_000, 10_000, 50_000),
        Scale.FULL: (1_000, 5_000, 10_000, 50_000, 100_000),
    }
    methods = _named(*(step.name for step in DECODING_STEPS))
    return [Group(cases(f"tsp-{size}", 1), 1, methods) for size in sizes[options.scale]]


def _scaling(options: Options) -> list[Group]:
    """Measure time and memory against the number of nodes."""
    thousands = {Scale.SMOKE: (), Scale.QUICK: (1, 10, 100, 1_000), Scale.FULL: (1, 3, 10, 30, 100,
                 300, 1_000)}  # fmt: skip
    sizes = [1_000 * count for count in thousands[options.scale]] or [50, 100]
    seconds = {Scale.SMOKE: 0.5, Scale.QUICK: 20.0, Scale.FULL: 300.0}[options.scale]
    # At a million nodes, rounds of the policy take as long as everything else together.
    rounds = () if options.scale is Scale.QUICK else _prc(2)
    methods = (*_CONSTRUCTIONS, *rounds, *_named("search"))
    return [
        Group(cases(f"{kind}-{size}", 1), 1, methods, (seconds,))
        for size in sizes
        for kind in ("tsp", "cvrp")
    ]


def _cross_size(options: Options) -> list[Group]:
    """Run policies on sizes that they were not trained on (paper, cross-size generalisation)."""
    sizes = {
        Scale.SMOKE: (50,),
        Scale.QUICK: (200, 1_000, 5_000, 20_000),
        Scale.FULL: (200, 1_000, 5_000, 20_000, 100_000),
    }
    shipped = (*_named("greedy"), *_prc(10, 50))
    if options.scale is Scale.SMOKE:
        shipped = _prc(2)
    for path in options.weights:
        load(path)  # an error now is better than skipping all its runs
    own = tuple(method.using(path) for path in options.weights for method in shipped)
    seconds = {Scale.SMOKE: 0.5, Scale.QUICK: 10.0, Scale.FULL: 60.0}[options.scale]
    methods = (*shipped, *own, *_named("search"))  # the search as a reference
    return [
        Group(cases(f"{kind}-{size}", 1), 1, methods, (seconds,))
        for size in sizes[options.scale]
        for kind in ("tsp", "cvrp")
    ]


def _ablation(options: Options) -> list[Group]:
    """Compare the policy, the search, and both together in equal time."""
    require_references(options.data)
    count = {Scale.SMOKE: 1, Scale.QUICK: 2, Scale.FULL: 16}[options.scale]
    names = ("tsp-60", "cvrp-60") if options.scale is Scale.SMOKE else ("tsp5k", "cvrp5k")
    seconds: dict[Scale, tuple[float, ...]] = {
        Scale.SMOKE: (0.5,),
        Scale.QUICK: (2, 5, 10, 20),
        Scale.FULL: (2, 5, 10, 30, 60, 120),
    }
    return [
        Group(cases(name, count, options.data), count, _TIMED, seconds[options.scale])
        for name in names
    ]


class Figure(StrEnum):
    """What the report draws for a suite; `sil.bench.figures` does the drawing."""

    GAPS_OVER_TIME = "gaps over time"
    OVER_NODES = "time and memory over the number of nodes"


@dataclass(frozen=True)
class Suite:
    """An experiment. This is all that command, tables and report need to know about it.

    Parameters
    ----------
    name
        The name on the command line.
    plan
        Returns what to run. The first line of its docstring describes the suite.
    uses_data, uses_weights, uses_peers
        Which of the options it uses.
    figure
        What the report draws.
    measures_memory
        Whether the tables show the memory that a run adds, instead of costs and gaps.
    has_mean
        Whether its sets are single instances, so that the tables end with a mean over all sets.
    """

    name: str
    plan: Callable[[Options], list[Group]]
    uses_data: bool = False
    uses_weights: bool = False
    uses_peers: bool = False
    figure: Figure = Figure.GAPS_OVER_TIME
    measures_memory: bool = False
    has_mean: bool = False

    @property
    def about(self) -> str:
        """A one-sentence description."""
        return (self.plan.__doc__ or "").partition("\n")[0]

    def groups(self, options: Options) -> list[Group]:
        """Return what to run; an option that would be ignored is an error."""
        if options.data is not None and not self.uses_data:
            raise InputError(f"the suite {self.name} does not use --data")
        if options.weights and not self.uses_weights:
            raise InputError(f"the suite {self.name} does not use --weights")
        if not options.peers and not self.uses_peers:
            raise InputError(f"the suite {self.name} runs no other solvers: leave out --no-peers")
        return self.plan(options)


SUITES: dict[str, Suite] = {
    suite.name: suite
    for suite in (
        Suite("uniform", _uniform, uses_data=True, uses_peers=True),
        Suite("capacity", _capacity, uses_peers=True),
        Suite("library", _library, uses_data=True, uses_peers=True, has_mean=True),
        Suite("memory", _memory, figure=Figure.OVER_NODES, measures_memory=True),
        Suite("scaling", _scaling, figure=Figure.OVER_NODES),
        Suite("cross-size", _cross_size, uses_weights=True),
        Suite("ablation", _ablation, uses_data=True),
    )
}
