"""The command ``sil solve``."""

import json
import sys
import time
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

import sil
from sil import io
from sil.cli.common import FLEET_TOO_SMALL, INTERRUPTED, AsJson, interruptible
from sil.cli.rescue import rescue
from sil.cli.source import Source, with_source
from sil.construct import STARTS, Start
from sil.degrees import degrees_hint
from sil.errors import InputError, SilError, printable
from sil.io.atomic import require_writable
from sil.map.page import require_map_format, save_map
from sil.methods import DEFAULT_METHOD, METHODS, method_named, uses_policy
from sil.plot import require_picture_format, save_solution_picture
from sil.policy.engine import PolicyEngine
from sil.policy.load import load_engine
from sil.progress import show_progress
from sil.result import Result
from sil.solution import Solution
from sil.stop import MaxIterations, MaxRuntime, MultipleCriteria, NoImprovement, Stop, TargetCost
from sil.threads import MOST_THREADS

LONGEST_DEFAULT = 60.0  # seconds, if no limit is given
DEFAULT_SECONDS_PER_NODE = 0.06

MethodName = StrEnum("MethodName", list(METHODS))  # type: ignore[misc]
_DEFAULT = MethodName(DEFAULT_METHOD)


@with_source
def solve(
    source: Source,
    max_runtime: Annotated[
        float | None, typer.Option(min=0, help="Time limit in seconds, including reading the file.")
    ] = None,
    max_iterations: Annotated[
        int | None,
        typer.Option("--max-iterations", "--rounds", min=0, help="Maximum number of rounds."),
    ] = None,
    no_improvement: Annotated[
        int | None, typer.Option(min=1, help="Stop after this many rounds without improvement.")
    ] = None,
    target_cost: Annotated[
        float | None, typer.Option(help="Stop when the cost is at most this.")
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            min=0,
            help="Random seed. Runs limited by rounds, not by time, give equal results for "
            "equal seeds and threads.",
        ),
    ] = 0,
    threads: Annotated[
        int | None,
        typer.Option(min=1, max=MOST_THREADS, help="Number of threads. Default: all cores."),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help=f"Initial solution: {', '.join(STARTS)}, or a solution file. Default: insertion "
            "for the method policy, otherwise chosen for the problem type and size.",
        ),
    ] = None,
    method: Annotated[
        MethodName,
        typer.Option(
            help="How the solution is improved. "
            "**auto**: whatever was measured to be best; today the search. "
            "**search**: local search, region by region, among edges learned to be likely. "
            "**policy**: the learned policy rebuilds partial solutions; "
            "with --rounds N this is the paper's PRC*N*. "
            "**exact**: puts short sequences of nodes into their best order. "
            "**none**: the initial solution is not improved."
        ),
    ] = _DEFAULT,
    l_max: Annotated[
        int | None,
        typer.Option(
            min=4,
            help="Maximum length of a partial solution, for policy and exact. Default: 1000 "
            "nodes for the policy (CVRP: 300), 8 for exact.",
        ),
    ] = None,
    whole_first: Annotated[
        bool | None,
        typer.Option(
            "--whole-first/--no-whole-first",
            help="For the method policy: rebuild a CVRP as a whole in the first round. "
            "Default: yes.",
        ),
    ] = None,
    weights: Annotated[
        Path | None,
        typer.Option(
            help="Weights of the policy: a .safetensors file with its .json file beside it. "
            "Default: the weights that come with sil."
        ),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(
            help="Run the network of the policy in PyTorch on this device, such as cuda or cpu. "
            "Default: the C++ engine on the CPU, which needs no PyTorch."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Solution file: .sol (CVRP), .tour (TSP), .json, .npz, .geojson, or .csv for a "
            "table of the stops, with the routes in a second table beside it."
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Picture of the solution: .png, .pdf, .svg …")
    ] = None,
    map_: Annotated[
        Path | None,
        typer.Option(
            "--map",
            help="Map of the solution for a browser: an .html file that needs nothing else.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Solve a problem.

    Without any limit this takes one minute, or less for problems below 1,000 nodes. Set a time
    limit rather than interrupting: the search uses it to decide when to take risks. Ctrl-C stops
    at once and writes the best solution so far.
    """
    begun = time.perf_counter()
    with interruptible() as interrupt:
        _require_outputs(out, plot, map_)
        problem = source.read()
        if out is not None:
            io.require_solution_format(out, problem)
        if hint := degrees_hint(problem):
            print(f"note: {hint}", file=sys.stderr)
        stop = _stop(
            begun, problem.num_nodes, max_runtime, max_iterations, no_improvement, target_cost
        )
        policy = None
        if weights is not None or device is not None:
            policy = load_engine(problem, weights or "fast", device)
        only_for_start = start == "policy" and not uses_policy(method.value)
        chosen = method_named(
            method.value,
            problem,
            policy=None if only_for_start else policy,
            longest=l_max,
            whole_first=whole_first,
        )
        with show_progress(stop, interrupt) as callback:
            result = sil.solve(
                problem,
                stop,
                seed,
                method=chosen,
                start=_start(start, policy),
                threads=threads,
                callback=callback,
                interrupt=interrupt,
            )
        failure = _write(result, out, plot, map_)
    if as_json:
        print(json.dumps(_report(result, time.perf_counter() - begun)))
    else:
        print(result.summary())
        for path in (out, plot, map_):
            if path is not None and failure is None:
                print(f"written     {printable(path)}")
    if failure is not None:
        raise failure
    if not result.is_feasible():
        print(
            f"not solved: no solution with {result.problem.max_vehicles:,} vehicles was found; the "
            f"best one needs {result.best.num_routes:,}. Give it more time, or more vehicles",
            file=sys.stderr,
        )
        raise typer.Exit(FLEET_TOO_SMALL)
    if result.interrupted:
        raise typer.Exit(INTERRUPTED)


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


def _start(start: str | None, policy: PolicyEngine | None) -> str | Start | Solution | None:
    if start == "policy" and policy is not None:
        return policy.construct
    if start is None or start in STARTS:
        return start
    if not Path(start).suffix:
        raise InputError(
            f"unknown start {start!r}: choose from {', '.join(STARTS)}, or name a solution file"
        )
    return io.read_solution(start)


def _require_outputs(out: Path | None, plot: Path | None, map_: Path | None) -> None:
    """Raise an error before any work is done if a file could not be written."""
    for path in (out, plot, map_):
        if path is not None:
            require_writable(path)
    if plot is not None:
        require_picture_format(plot)
    if map_ is not None:
        require_map_format(map_)


def _write(
    result: Result, out: Path | None, plot: Path | None, map_: Path | None
) -> SilError | None:
    """Write all files; return an error instead of raising it, to print results first."""
    if out is not None:
        try:
            io.write_solution(out, result.best, result.problem)
        except SilError as error:
            return rescue(out, result, error)
    try:
        if plot is not None:
            save_solution_picture(plot, result.best, result.problem)
        if map_ is not None:
            save_map(map_, result.best, result.problem)
    except SilError as error:
        return error
    return None


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
