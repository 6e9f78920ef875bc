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
from sil.cli.common import (
    INTERRUPTED,
    AsJson,
    Capacity,
    Index,
    Instance,
    interruptible,
)
from sil.cli.rescue import rescue
from sil.construct import STARTS, Start
from sil.degrees import degrees_hint
from sil.errors import InputError, SilError, printable
from sil.io.atomic import require_writable
from sil.methods import DEFAULT_METHOD, METHODS, method_named, uses_policy
from sil.plot import require_picture_format, save_solution_picture
from sil.policy.native import NativePolicy
from sil.progress import show_progress
from sil.result import Result
from sil.solution import Solution
from sil.stop import MaxIterations, MaxRuntime, MultipleCriteria, NoImprovement, Stop, TargetCost
from sil.threads import MOST_THREADS

LONGEST_DEFAULT = 60.0  # seconds, if no limit is given
DEFAULT_SECONDS_PER_NODE = 0.06

MethodName = StrEnum("MethodName", list(METHODS))  # type: ignore[misc]
_DEFAULT = MethodName(DEFAULT_METHOD)


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
    seed: Annotated[
        int,
        typer.Option(
            min=0,
            help="Of all random choices. A run limited by rounds, not by time, gives equal results "
            "for equal seeds and threads.",
        ),
    ] = 0,
    threads: Annotated[
        int | None, typer.Option(min=1, max=MOST_THREADS, help="Default: all cores.")
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help=f"First solution: {', '.join(STARTS)}, or a file with one. "
            "Default: insertion for the method policy, else what suits the problem.",
        ),
    ] = None,
    method: Annotated[
        MethodName,
        typer.Option(
            help="What improves it. **auto**: search and policy share the time by what each gains. "
            "**search**: native search, region by region. "
            "**policy**: the learned policy rebuilds partial solutions; "
            "with --rounds N this is the paper's PRC*N*. "
            "**exact**: best order of every few neighbouring nodes. "
            "**none**: the first solution is the answer."
        ),
    ] = _DEFAULT,
    l_max: Annotated[
        int | None,
        typer.Option(
            min=4,
            help="Longest partial solution, for auto, policy and exact. "
            "Default: policy 1000 (CVRP 300), exact 8.",
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
            help="For the policy, as a method or a start: .safetensors with its .json beside it. "
            "Default: shipped."
        ),
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
    with interruptible() as interrupt:
        for path in (out, plot):
            if path is not None:
                require_writable(path)
        if plot is not None:
            require_picture_format(plot)
        problem = io.read(file, index, capacity)
        if out is not None:
            io.require_solution_format(out, problem)
        if hint := degrees_hint(problem):
            print(f"note: {hint}", file=sys.stderr)
        stop = _stop(
            begun, problem.num_nodes, max_runtime, max_iterations, no_improvement, target_cost
        )
        policy = None if weights is None else NativePolicy.load(problem, weights)
        is_used = start == "policy" and not uses_policy(method.value)  # by the start alone
        chosen = method_named(
            method.value,
            problem,
            policy=None if is_used else policy,
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
        failure = _write(result, out, plot)
    if as_json:
        print(json.dumps(_report(result, time.perf_counter() - begun)))
    else:
        print(result.summary())
        for path in (out, plot):
            if path is not None and failure is None:
                print(f"written     {printable(path)}")
    if failure is not None:
        raise failure
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


def _start(start: str | None, policy: NativePolicy | None) -> str | Start | Solution | None:
    if start == "policy" and policy is not None:
        return policy.construct
    if start is None or start in STARTS:
        return start
    if not Path(start).suffix:
        raise InputError(
            f"unknown start {start!r}: choose from {', '.join(STARTS)}, or name a solution file"
        )
    return io.read_solution(start)


def _write(result: Result, out: Path | None, plot: Path | None) -> SilError | None:
    """Write what was asked for; what goes wrong is told after the result, which is not lost."""
    if out is not None:
        try:
            io.write_solution(out, result.best, result.problem)
        except SilError as error:
            return rescue(out, result, error)
    if plot is not None:
        try:
            save_solution_picture(plot, result.best, result.problem)
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
