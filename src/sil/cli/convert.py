"""The command ``sil convert``."""

from pathlib import Path
from typing import Annotated

import typer

from sil import io
from sil.cli.common import Capacity, Index, require_folder
from sil.errors import InputError
from sil.problem import Metric, Problem


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
    require_folder(target)
    if problem is not None:
        solved = io.read(problem, index, capacity)
        io.write_solution(target, io.read_solution(source), solved)
    else:
        io.write(target, _remeasured(io.read(source, index, capacity), metric, scale))
    print(f"written     {target}")


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
