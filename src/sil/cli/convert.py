"""The command ``sil convert``."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from sil import io
from sil.cli.source import Source, with_source
from sil.errors import InputError, printable
from sil.io.atomic import require_writable
from sil.problem import Problem
from sil.solution import require_valid


@with_source
def convert(
    source: Source,
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
    scale: Annotated[
        float, typer.Option(help="Multiply all coordinates by this, e.g. for a rounding metric.")
    ] = 1.0,
) -> None:
    """Convert a problem or a solution to another format.

    Example: `sil convert big.npz big.vrp --metric EUC_2D --scale 1e6`
    """
    require_writable(target)
    if not (math.isfinite(scale) and scale > 0):
        raise InputError(f"--scale is {scale}: it must be a number above 0")
    if problem is not None:
        if source.metric is not None or scale != 1:
            raise InputError(
                "--metric and --scale are for problems and cannot be used for a solution"
            )
        solved = replace(source, file=problem).read()
        io.require_solution_format(target, solved)
        solution = io.read_solution(source.file)
        require_valid(solution, solved)
        io.write_solution(target, solution, solved)
    elif source.file.suffix.lower() in (".sol", ".tour"):
        raise InputError(
            f"{printable(source.file)}: this is a solution; name its problem with --problem"
        )
    else:
        io.write(target, _scaled(source.read(), scale))
    print(f"written     {printable(target)}")


def _scaled(problem: Problem, scale: float) -> Problem:
    if scale == 1:
        return problem
    if problem.coords is None or not problem.metric.is_planar:
        raise InputError(f"--scale is for coordinates in a plane: the metric is {problem.metric}")
    return problem.replace(coords=problem.coords * scale)
