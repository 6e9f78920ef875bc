"""The experiments: which methods run on which instances, at three scales."""

import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from sil.bench.ours import OURS
from sil.bench.peers import PEERS
from sil.bench.sets import Case, cases, library_cases, require_references
from sil.bench.step import STEPS
from sil.errors import InputError
from sil.policy.weights import load


class Scale(StrEnum):
    """How much of an experiment is done."""

    SMOKE = "smoke"
    QUICK = "quick"
    FULL = "full"


@dataclass(frozen=True)
class Options:
    """What the user chooses.

    Parameters
    ----------
    scale
        How much is done.
    data
        A folder of instance files and best known values; the library suite needs it.
    weights
        Policies to try beside the one that we ship.
    peers
        Whether other solvers run too.
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
        The instances, made when they are needed.
    count
        How many there are.
    methods
        Names of what solves them.
    seconds
        Time limit of the methods that have one; each of several is a run.
    """

    cases: Iterable[Case]
    count: int
    methods: tuple[str, ...]
    seconds: tuple[float, ...] = (0.0,)


_TIMED = tuple(method.name for method in OURS if method.timed)
_CONSTRUCTIONS = ("insertion", "greedy")


def _peers(options: Options) -> tuple[str, ...]:
    return tuple(peer.name for peer in PEERS) if options.peers else ()


def _uniform(options: Options) -> list[Group]:
    """Solve uniform instances of all sizes (paper, main results)."""
    few, more = ("PRC10", "PRC100"), ("PRC10", "PRC50", "PRC100")
    sizes: dict[Scale, list[tuple[str, int, tuple[str, ...], float]]] = {
        Scale.SMOKE: [("-60", 1, ("PRC2",), 0.5)],
        Scale.QUICK: [
            ("1k", 2, few, 5),
            ("5k", 1, few, 10),
            ("10k", 1, few, 20),
            ("100k", 1, ("PRC10",), 30),
        ],
        Scale.FULL: [
            ("1k", 32, (*more, "PRC500", "PRC1000"), 30),
            ("5k", 16, (*more, "PRC500"), 60),
            ("10k", 8, more, 120),
            ("50k", 2, more, 300),
            ("100k", 2, more, 300),
        ],
    }
    return _on_both(options, sizes[options.scale])


def _on_both(options: Options, sizes: list[tuple[str, int, tuple[str, ...], float]]) -> list[Group]:
    """Solve sets of either problem by the policy's rounds, and by all else in a time limit."""
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
    rounds: tuple[str, ...] = ("PRC10", "PRC50", "PRC100")
    if options.scale is Scale.SMOKE:
        names, rounds = {"cvrp-60": 0.5}, ("PRC2",)
    elif options.scale is Scale.FULL:
        names = {name: 6 * seconds for name, seconds in names.items()}
        rounds = (*rounds, "PRC500", "PRC1000")
    methods = (*_CONSTRUCTIONS, *rounds, *_TIMED, *_peers(options))
    return [
        Group(cases(name, count), count, methods, (seconds,)) for name, seconds in names.items()
    ]


def _library(options: Options) -> list[Group]:
    """Solve instance files with best known values (paper, TSPLIB and CVRPLIB)."""
    if options.data is None:
        raise InputError("the library suite needs --data: a folder with best_known.csv")
    found = list(library_cases(options.data))
    if not found:
        raise InputError(f"{options.data}: no .tsp or .vrp file is named in best_known.csv")
    if options.scale is Scale.SMOKE:
        found = sorted(found, key=lambda case: case.problem.num_nodes)[:2]
        return [Group(found, len(found), ("insertion", "greedy", "PRC2", "search"), (0.5,))]
    if options.scale is Scale.QUICK:
        found = [case for case in found if 3_000 <= case.problem.num_nodes <= 10_000]
        if not found:
            raise InputError(
                f"{options.data}: no instance has 3,000 to 10,000 nodes, as --scale quick takes "
                "them; --scale full takes all"
            )
    rounds, seconds = {
        Scale.QUICK: (("PRC10",), 20.0),
        Scale.FULL: (("PRC10", "PRC100", "PRC1000"), 300.0),
    }[options.scale]
    methods = (*_CONSTRUCTIONS, *rounds, "search", "auto", *_peers(options))
    return [Group(found, len(found), methods, (seconds,))]


def _memory(options: Options) -> list[Group]:
    """Measure one decoding step with linear and with full attention (paper, memory tables)."""
    sizes = {
        Scale.SMOKE: (50, 100),
        Scale.QUICK: (1_000, 5_000, 10_000, 50_000),
        Scale.FULL: (1_000, 5_000, 10_000, 50_000, 100_000),
    }
    methods = tuple(step.name for step in STEPS)
    return [Group(cases(f"tsp-{size}", 1), 1, methods) for size in sizes[options.scale]]


def _scaling(options: Options) -> list[Group]:
    """Measure time and memory against the number of nodes."""
    thousands = {Scale.SMOKE: (), Scale.QUICK: (1, 10, 100, 1_000), Scale.FULL: (1, 3, 10, 30, 100,
                 300, 1_000)}  # fmt: skip
    sizes = [1_000 * count for count in thousands[options.scale]] or [50, 100]
    seconds = {Scale.SMOKE: 0.5, Scale.QUICK: 20.0, Scale.FULL: 300.0}[options.scale]
    # At a million nodes rounds of the policy take as long as all else together.
    rounds = () if options.scale is Scale.QUICK else ("PRC2",)
    methods = (*_CONSTRUCTIONS, *rounds, "search", "auto")
    return [
        Group(cases(f"{kind}-{size}", 1), 1, methods, (seconds,))
        for size in sizes
        for kind in ("tsp", "cvrp")
    ]


def _cross_size(options: Options) -> list[Group]:
    """Try policies on sizes that they were not trained at (paper, cross-size generalisation)."""
    sizes = {
        Scale.SMOKE: (50,),
        Scale.QUICK: (200, 1_000, 5_000, 20_000),
        Scale.FULL: (200, 1_000, 5_000, 20_000, 100_000),
    }
    plain = ("PRC2",) if options.scale is Scale.SMOKE else ("greedy", "PRC10", "PRC50")
    for path in options.weights:
        load(path)  # rather than skip all its runs
    own = tuple(
        f"{method}@{path.resolve()}?{zlib.crc32(path.read_bytes()):08x}"
        for path in options.weights
        for method in plain
    )
    seconds = {Scale.SMOKE: 0.5, Scale.QUICK: 10.0, Scale.FULL: 60.0}[options.scale]
    # The search is there as a reference.
    methods = (*plain, *own, "search")
    return [
        Group(cases(f"{kind}-{size}", 1), 1, methods, (seconds,))
        for size in sizes[options.scale]
        for kind in ("tsp", "cvrp")
    ]


def _ablation(options: Options) -> list[Group]:
    """Compare the policy alone, the search alone, and both, in equal time."""
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


@dataclass(frozen=True)
class Suite:
    """An experiment.

    Parameters
    ----------
    name
        On the command line.
    plan
        Tells what to run.
    heeds
        Which of the options `data`, `weights` and `peers` it heeds.
    """

    name: str
    plan: Callable[[Options], list[Group]]
    heeds: frozenset[str] = frozenset()

    @property
    def about(self) -> str:
        """What it is about, in a sentence."""
        return (self.plan.__doc__ or "").partition("\n")[0]

    def groups(self, options: Options) -> list[Group]:
        """Tell what to run; an option that would be ignored is an error."""
        for name in ("data", "weights"):
            if getattr(options, name) and name not in self.heeds:
                raise InputError(f"the suite {self.name} has no use for --{name}")
        if not options.peers and "peers" not in self.heeds:
            raise InputError(f"the suite {self.name} runs no other solvers anyway")
        return self.plan(options)


SUITES: dict[str, Suite] = {
    suite.name: suite
    for suite in (
        Suite("uniform", _uniform, frozenset({"data", "peers"})),
        Suite("capacity", _capacity, frozenset({"peers"})),
        Suite("library", _library, frozenset({"data", "peers"})),
        Suite("memory", _memory),
        Suite("scaling", _scaling),
        Suite("cross-size", _cross_size, frozenset({"weights"})),
        Suite("ablation", _ablation, frozenset({"data"})),
    )
}
