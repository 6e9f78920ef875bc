"""The command ``sil check``."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from sil import io
from sil.cli.common import AsJson
from sil.cli.source import Source, with_source
from sil.errors import printable
from sil.units import format_cost


@with_source
def check(
    source: Source,
    solution: Annotated[
        Path, typer.Argument(metavar="SOLUTION", help="Solution file: .sol, .tour, .json or .npz.")
    ],
    as_json: AsJson = False,
) -> None:
    """Check a solution: print its cost, or everything that is wrong with it.

    The check is independent of the solver. The exit code is 0 if the solution is valid and 2 if it
    is not.
    """
    problem = source.read()
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
            print(
                f"note: {printable(solution)} states a cost of {format_cost(stated)}",
                file=sys.stderr,
            )
    else:
        print(f"not valid: {len(violations)} violation{'s' if len(violations) > 1 else ''}")
        for violation in violations:
            print(f"  {violation}")
    if violations:
        raise typer.Exit(2)
