"""The command ``sil convert``."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from sil import io
from sil.cli.common import Capacity, Index
from sil.errors import InputError, printable
from sil.io.atomic import require_writable
from sil.problem import Metric, Problem
from sil.solution import require_valid


def convert(
    source: Annotated[
        Path, typer.Argument(metavar="FROM", help="File with a problem or a solution.")
    ],
    target: Annotated[
        Path,
        typer.Argument(
            metavar="TO", help="File to write. The file extension determines the format."
        ),
    ],
    problem: Annotated[
        Path | None,
        typer.Option(help="To convert a solution: the problem that it solves."),
    ] = None,
    metric: Annotated[
        Metric | None, typer.Option(help="Change how distances are measured.")
    ] = None,
    scale: Annotated[
        float, typer.Option(help="Multiply all coordinates by this, e.g. for a rounding metric.")
    ] = 1.0,
    index: Index = None,
    capacity: Capacity = None,
) -> None:
    """Convert a problem or a solution to another format.

    Example: `sil convert big.npz big.vrp --metric EUC_2D --scale 1e6`
    """
    require_writable(target)
    if not (math.isfinite(scale) and scale > 0):
        raise InputError(f"--scale is {scale}: it must be a number above 0")
    if problem is not None:
        if metric is not None or scale != 1:
            raise InputError(
                "--metric and --scale are for problems and cannot be used for a solution"
            )
        solved = io.read(problem, index, capacity)
        io.require_solution_format(target, solved)
        solution = io.read_solution(source)
        require_valid(solution, solved)
        io.write_solution(target, solution, solved)
    elif source.suffix.lower() in (".sol", ".tour"):
        raise InputError(
            f"{printable(source)}: this is a solution; name its problem with --problem"
        )
    else:
        io.write(target, _remeasured(io.read(source, index, capacity), metric, scale))
    print(f"written     {printable(target)}")


def _remeasured(problem: Problem, metric: Metric | None, scale: float) -> Problem:
    if metric is None and scale == 1:
        return problem
    if problem.coords is None or problem.matrix is not None or metric is Metric.EXPLICIT:
        raise InputError(
            "--metric and --scale need a problem with coordinates and without a matrix"
        )
    if Metric.GEO in (problem.metric, metric):
        raise InputError(
            "--metric and --scale cannot be used with GEO: its coordinates are degrees and minutes"
        )
    return replace(problem, coords=problem.coords * scale, metric=metric or problem.metric)
