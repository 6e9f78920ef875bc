"""The command ``sil solve``."""

import json
import time
from collections.abc import Callable
from dataclasses import asdict
from enum import StrEnum
from functools import cache
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
    require_folder,
)
from sil.construct import STARTS, Start
from sil.errors import InputError
from sil.plot import require_picture_format, save_solution_picture
from sil.policy.native import NativePolicy
from sil.progress import show_progress
from sil.reconstruct import METHODS, reconstructors_named
from sil.result import Result
from sil.solution import Solution
from sil.stop import MaxIterations, MaxRuntime, MultipleCriteria, NoImprovement, Stop, TargetCost

LONGEST_DEFAULT = 60.0  # seconds, if no limit is given
DEFAULT_SECONDS_PER_NODE = 0.06

Method = StrEnum("Method", list(METHODS))  # type: ignore[misc]
DEFAULT_METHOD = Method("auto")


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
        typer.Option(
            min=4, help="Longest partial solution. Default: policy 1000 (CVRP 300), exact 8."
        ),
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
    with interruptible() as interrupt:
        for path in (out, plot):
            require_folder(path)
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
