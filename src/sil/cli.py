"""The command ``sil``."""

import json
import math
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from enum import StrEnum
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Annotated, Any

import typer

import sil
from sil import io
from sil._native import Interrupt
from sil.construct import STARTS, Start
from sil.errors import InputError, MissingExtraError, SilError
from sil.generate import TEST_SETS, Distribution
from sil.io.arrays import write_problems_npz
from sil.plot import require_picture_format, save_solution_picture
from sil.policy.native import NativePolicy
from sil.problem import Metric, Problem
from sil.progress import show_progress
from sil.reconstruct import METHODS, reconstructors_named
from sil.result import Result, format_cost
from sil.solution import Solution
from sil.stop import MaxIterations, MaxRuntime, MultipleCriteria, NoImprovement, Stop, TargetCost
from sil.train.config import config_text, load_config, shipped_configs
from sil.train.report import save_training_picture

INTERRUPTED = 130
LONGEST_DEFAULT = 60.0  # seconds, if no limit is given
DEFAULT_SECONDS_PER_NODE = 0.06

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="""Solve travelling-salesman (TSP) and capacitated vehicle-routing (CVRP) problems with
    1,000 to 1,000,000 nodes.

    A first try, from nothing to a picture:

    `sil generate cvrp --size 10000 --out big.npz`

    `sil solve big.npz --max-runtime 20 --out big.sol --plot big.png`
    """,
)

Instance = Annotated[
    Path, typer.Argument(metavar="FILE", help="Problem: .tsp, .vrp, .npz, .json or .csv.")
]
Index = Annotated[
    int | None, typer.Option(help="Which problem of an npz file that holds several, from 0 on.")
]
Capacity = Annotated[int | None, typer.Option(help="Capacity, for a csv file with demands.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object to standard output.")]

Method = StrEnum("Method", list(METHODS))  # type: ignore[misc]
DEFAULT_METHOD = Method("auto")


def main() -> None:
    """Run the command line; errors in the input end it with a message and exit code 2."""
    try:
        app()
    except SilError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"sil {sil.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


@app.command()
def solve(
    file: Instance,
    max_runtime: Annotated[
        float | None, typer.Option(min=0, help="Stop after so many seconds, reading included.")
    ] = None,
    max_iterations: Annotated[
        int | None,
        typer.Option("--max-iterations", "--rounds", min=0, help="Stop after so many rounds."),
    ] = None,
    no_improvement: Annotated[
        int | None, typer.Option(min=1, help="Stop after so many rounds without improvement.")
    ] = None,
    target_cost: Annotated[
        float | None, typer.Option(help="Stop when the cost is no more than this.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Equal seeds give equal results.")] = 0,
    threads: Annotated[int | None, typer.Option(min=1, help="Default: all cores.")] = None,
    start: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help=f"First solution: {', '.join(STARTS)}, or a file with one. Default: what suits.",
        ),
    ] = None,
    method: Annotated[
        Method,
        typer.Option(
            help="What improves it. **auto**: search and policy share the time by what each gains. "
            "**search**: native search, region by region. "
            "**policy**: the learned policy rebuilds partial solutions; "
            "with --rounds N and its default start, insertion, this is the paper's PRC*N*. "
            "**exact**: best order of every few neighbouring nodes. "
            "**none**: the first solution is the answer."
        ),
    ] = DEFAULT_METHOD,
    l_max: Annotated[
        int | None,
        typer.Option(min=4, help="Longest partial solution. Default: 200 (policy), 8 (exact)."),
    ] = None,
    weights: Annotated[
        Path | None,
        typer.Option(help="Policy: .safetensors with its .json beside it. Default: shipped."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Write the solution: .sol (CVRP), .tour (TSP), .json, .npz, .geojson."),
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the solution: .png, .pdf, .svg …")] = None,
    as_json: AsJson = False,
    index: Index = None,
    capacity: Capacity = None,
) -> None:
    """Solve a problem.

    Without any limit it takes a minute, or less below 1,000 nodes. A known limit helps: the search
    takes more risks at first. Ctrl-C stops at once; the best solution so far is written as if
    the time were up.
    """
    begun = time.perf_counter()
    with _interruptible() as interrupt:
        for path in (out, plot):
            _require_folder(path)
        if plot is not None:
            require_picture_format(plot)
        problem = io.read(file, index, capacity)
        if out is not None:
            io.require_solution_format(out, problem)

        @cache
        def policy() -> NativePolicy:
            return NativePolicy.load(problem, weights or "fast")

        with show_progress(max_runtime, interrupt) as callback:
            result = sil.solve(
                problem,
                _stop(
                    begun,
                    problem.num_nodes,
                    max_runtime,
                    max_iterations,
                    no_improvement,
                    target_cost,
                ),
                seed,
                start=_start(start, method, policy if weights else None),
                reconstructors=reconstructors_named(method.value, policy, l_max),
                threads=threads,
                callback=callback,
                interrupt=interrupt,
            )
        if out is not None:
            io.write_solution(out, result.best, problem)
        if plot is not None:
            save_solution_picture(plot, result.best, problem)
    if as_json:
        print(json.dumps(_report(result, time.perf_counter() - begun)))
    else:
        print(result.summary())
        for path in (out, plot):
            if path is not None:
                print(f"written     {path}")
    if result.interrupted:
        raise typer.Exit(INTERRUPTED)


@app.command()
def check(
    file: Instance,
    solution: Annotated[
        Path, typer.Argument(metavar="SOLUTION", help="Solution: .sol, .tour, .json or .npz.")
    ],
    as_json: AsJson = False,
    index: Index = None,
    capacity: Capacity = None,
) -> None:
    """Check a solution independently: its cost, or everything that is wrong with it.

    The exit code is 0 if it is valid and 2 if not.
    """
    problem = io.read(file, index, capacity)
    candidate = io.read_solution(solution)
    violations = candidate.check(problem)
    cost = None if violations else candidate.cost(problem)
    if as_json:
        print(json.dumps({"feasible": not violations, "cost": cost, "violations": violations}))
    elif cost is not None:
        routes = f", {candidate.num_routes:,} routes" if problem.kind == "CVRP" else ""
        print(f"valid: {problem.num_nodes:,} nodes{routes}, cost {format_cost(cost)}")
        stated = io.read_stated_cost(solution)
        if stated is not None and abs(stated - cost) > 1e-6 * max(1.0, abs(cost)):
            print(f"note: {solution} states a cost of {format_cost(stated)}", file=sys.stderr)
    else:
        print(f"not valid: {len(violations)} violation{'s' if len(violations) > 1 else ''}")
        for violation in violations:
            print(f"  {violation}")
    if violations:
        raise typer.Exit(2)


@app.command()
def generate(
    what: Annotated[
        str,
        typer.Argument(
            metavar="tsp|cvrp|SET",
            help=f"A problem, or one of the paper's test sets: {', '.join(TEST_SETS)}.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            help="File to write. For a set: an npz file with all instances, "
            "or a folder for an npz file each."
        ),
    ],
    size: Annotated[int | None, typer.Option(min=1, help="Nodes, the depot not counted.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Equal seeds give equal instances.")] = 0,
    distribution: Annotated[
        Distribution, typer.Option(help="How the nodes are spread over the unit square.")
    ] = Distribution.UNIFORM,
    capacity: Annotated[
        int | None, typer.Option(min=1, help="For CVRP. Default: the paper's for that size.")
    ] = None,
) -> None:
    """Generate a random problem, or a named test set of the paper.

    Example: `sil generate tsp --size 100000 --seed 7 --distribution clustered --out t.npz`
    """
    if what in TEST_SETS:
        _write_set(what, out)
        return
    if what not in ("tsp", "cvrp"):
        raise InputError(f"unknown {what!r}: generate tsp, cvrp, or one of {', '.join(TEST_SETS)}")
    if size is None:
        raise InputError("how many nodes? Give --size")
    _require_folder(out)
    if what == "cvrp":
        problem = sil.generate_cvrp(size, seed, distribution, capacity)
    elif capacity is not None:
        raise InputError("a TSP has no capacity")
    else:
        problem = sil.generate_tsp(size, seed, distribution)
    io.write(out, problem)
    print(f"written     {out}: {problem.kind} of {problem.num_nodes:,} nodes")


@app.command()
def convert(
    source: Annotated[Path, typer.Argument(metavar="FROM", help="A problem or a solution.")],
    target: Annotated[Path, typer.Argument(metavar="TO", help="The ending says the format.")],
    problem: Annotated[
        Path | None,
        typer.Option(help="Convert a solution: the problem that it solves."),
    ] = None,
    metric: Annotated[
        Metric | None, typer.Option(help="Measure distances in another way, e.g. EUC_2D.")
    ] = None,
    scale: Annotated[
        float, typer.Option(help="Multiply coordinates, e.g. before distances are rounded.")
    ] = 1.0,
    index: Index = None,
    capacity: Capacity = None,
) -> None:
    """Convert a problem, or a solution, to another format.

    Example: `sil convert big.npz big.vrp --metric EUC_2D --scale 1e6`
    """
    _require_folder(target)
    if problem is not None:
        solved = io.read(problem, index, capacity)
        io.write_solution(target, io.read_solution(source), solved)
    else:
        io.write(target, _remeasured(io.read(source, index, capacity), metric, scale))
    print(f"written     {target}")


@app.command()
def info(
    file: Instance, as_json: AsJson = False, index: Index = None, capacity: Capacity = None
) -> None:
    """Describe a problem."""
    problem = io.read(file, index, capacity)
    low, high = problem.layout.min(axis=0), problem.layout.max(axis=0)
    facts: dict[str, Any] = {
        "name": problem.name,
        "problem": problem.kind,
        "nodes": problem.num_nodes,
        "metric": str(problem.metric),
        "extent": [low.tolist(), high.tolist()],
    }
    if problem.demand is not None and problem.capacity is not None:
        total = int(problem.demand.sum())
        facts |= {
            "capacity": problem.capacity,
            "demand": total,
            "largest demand": int(problem.demand.max()),
            "fewest routes": problem.fewest_routes,
        }
    if as_json:
        print(json.dumps(facts))
        return
    for key, value in facts.items():
        print(f"{key:<15} {value:,}" if isinstance(value, int) else f"{key:<15} {value}")


@app.command()
def train(
    config: Annotated[
        str | None,
        typer.Argument(
            metavar="CONFIG",
            help=f"A TOML file, or a shipped configuration: {', '.join(shipped_configs())}.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of the run. [default: runs/ and the name of CONFIG]"),
    ] = None,
    max_runtime: Annotated[
        float | None,
        typer.Option(min=0, help="Seconds after which to stop; the same command goes on."),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(min=1, help="For labels and validation. [default: all cores]"),
    ] = None,
    tensorboard: Annotated[
        bool, typer.Option(help="Write for TensorBoard too, to a folder beside the log.")
    ] = False,
    show: Annotated[bool, typer.Option(help="Print CONFIG, to make your own of it.")] = False,
    report: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Draw the progress of the run in this folder."),
    ] = None,
) -> None:
    """Train a policy by self-improved learning, without any labelled data.

    Everything goes to one folder, and the same command goes on after any interruption. In it,
    `best.safetensors` is the best policy so far, for `sil solve --weights`; `log.csv` and
    `sil train --report DIR` tell how it went.

    A first try, the whole cycle in minutes: `sil train tiny`

    On two processes: `torchrun --nproc-per-node 2 -m sil train fast-tsp`
    """
    if report is not None:
        print(f"written     {save_training_picture(report)}")
        return
    if config is None:
        raise InputError("name a configuration: " + ", ".join(shipped_configs()))
    if show:
        print(config_text(config), end="")
        return
    settings = load_config(config)
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError("training", "train") from error
    from sil.train.display import TensorBoardDisplay, TerminalDisplay
    from sil.train.loop import Training

    # More threads would wait for each other; processes do better.
    torch.set_num_threads(1)
    folder = out or Path("runs") / Path(config).stem
    with _interruptible() as interrupt, TerminalDisplay() as display:
        interrupt.expire_in(math.inf if max_runtime is None else max_runtime)
        shown = TensorBoardDisplay(display, folder) if tensorboard else display
        training = Training(settings, folder, threads, interrupt, shown)
        finished = training.run()
    if not training.is_first:
        return
    if finished:
        print(f"written     {folder / 'best.safetensors'}")
        return
    print(f"stopped; the same command goes on. The best so far: {folder / 'best.safetensors'}")
    if interrupt.requested:
        raise typer.Exit(INTERRUPTED)


@contextmanager
def _interruptible() -> Iterator[Interrupt]:
    """Turn the first Ctrl-C or SIGTERM into a request to stop, and the second into an exit."""
    interrupt = Interrupt()

    def handle(number: int, frame: FrameType | None) -> None:
        del number, frame
        if interrupt.requested:
            sys.exit(INTERRUPTED)
        interrupt.set()
        print("stopping …", file=sys.stderr)

    kept = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield interrupt
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)


def _stop(
    begun: float,
    num_nodes: int,
    max_runtime: float | None,
    max_iterations: int | None,
    no_improvement: int | None,
    target_cost: float | None,
) -> MultipleCriteria:
    criteria: list[Stop] = []
    if max_runtime is not None:
        criteria.append(MaxRuntime(max_runtime, begun))
    if max_iterations is not None:
        criteria.append(MaxIterations(max_iterations))
    if no_improvement is not None:
        criteria.append(NoImprovement(no_improvement))
    if not criteria:
        seconds = min(LONGEST_DEFAULT, DEFAULT_SECONDS_PER_NODE * num_nodes)
        criteria.append(MaxRuntime(seconds, begun))
    if target_cost is not None:
        criteria.append(TargetCost(target_cost))
    return MultipleCriteria(criteria)


def _start(
    start: str | None, method: Method, own_policy: Callable[[], NativePolicy] | None
) -> str | Start | Solution | None:
    if start is None:
        return "insertion" if method == Method("policy") else None
    if start == "policy" and own_policy is not None:
        return own_policy().construct
    if start in STARTS:
        return start
    if not Path(start).suffix:
        raise InputError(
            f"unknown start {start!r}: choose from {', '.join(STARTS)}, or name a solution file"
        )
    return io.read_solution(start)


def _require_folder(path: Path | None) -> None:
    """Find out before the work, not after it, that its result cannot be written."""
    if path is not None and not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}")


def _report(result: Result, runtime: float) -> dict[str, Any]:
    return {
        "instance": result.problem.name,
        "problem": result.problem.kind,
        "nodes": result.problem.num_nodes,
        "cost": result.cost(),
        "feasible": result.is_feasible(),
        "routes": result.best.num_routes,
        "runtime": round(runtime, 3),
        "iterations": result.num_iterations,
        "method": result.method,
        "start": result.start,
        "seed": result.seed,
        "interrupted": result.interrupted,
        "shares": [asdict(share) for share in result.shares],
        "version": sil.__version__,
    }


def _write_set(name: str, out: Path) -> None:
    problems = list(TEST_SETS[name].problems())
    if out.suffix.lower() == ".npz":
        _require_folder(out)
        write_problems_npz(out, problems)
    elif out.suffix:
        raise InputError(f"{out}: a set is written to one .npz file or to a folder")
    else:
        out.mkdir(parents=True, exist_ok=True)
        for problem in problems:
            io.write(out / f"{problem.name}.npz", problem)
    print(f"written     {out}: {len(problems)} instances of {name}")


def _remeasured(problem: Problem, metric: Metric | None, scale: float) -> Problem:
    if metric is None and scale == 1:
        return problem
    if problem.coords is None or problem.matrix is not None or metric is Metric.EXPLICIT:
        raise InputError("only a problem with coordinates and no matrix can be measured anew")
    return Problem(
        problem.coords * scale,
        problem.demand,
        problem.capacity,
        metric or problem.metric,
        name=problem.name,
    )
