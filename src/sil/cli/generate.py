"""The command ``sil generate``."""

from pathlib import Path
from typing import Annotated, Any

import typer

import sil
from sil import io
from sil.errors import InputError, printable
from sil.generate import TEST_SETS, Distribution
from sil.io.arrays import write_problems_npz
from sil.io.atomic import require_writable
from sil.metric import Metric


def generate(
    what: Annotated[
        str,
        typer.Argument(
            metavar="tsp|cvrp|SET",
            help=f"Kind of problem, or one of the paper's test sets: {', '.join(TEST_SETS)}.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            help="File to write; the extension determines the format. For a test set: an npz file "
            "for all instances, or a folder for one npz file per instance."
        ),
    ],
    size: Annotated[
        int | None, typer.Option(min=1, help="Number of nodes, not counting the depot.")
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, help="Random seed. Equal seeds give equal problems.")
    ] = 0,
    distribution: Annotated[
        Distribution, typer.Option(help="How the nodes are distributed over the unit square.")
    ] = Distribution.UNIFORM,
    capacity: Annotated[
        int | None,
        typer.Option(min=1, help="Vehicle capacity, for CVRP. Default: the paper's for this size."),
    ] = None,
    max_distance: Annotated[
        float | None, typer.Option(help="Greatest length of a route, for CVRP.")
    ] = None,
    max_duration: Annotated[
        float | None, typer.Option(help="Greatest duration of a route at speed 1, for CVRP.")
    ] = None,
    service: Annotated[
        float | None, typer.Option(help="Service time of each customer, for CVRP.")
    ] = None,
    max_vehicles: Annotated[
        int | None, typer.Option(help="Greatest number of routes, for CVRP.")
    ] = None,
) -> None:
    """Generate a random problem or one of the paper's test sets.

    Example: `sil generate tsp --size 100000 --seed 7 --distribution clustered --out t.npz`
    """
    limits: dict[str, Any] = {
        "max_distance": max_distance,
        "max_duration": max_duration,
        "max_vehicles": max_vehicles,
        "service": service,
    }
    limits = {name: value for name, value in limits.items() if value is not None}
    if what in TEST_SETS:
        if limits or (size, seed, distribution, capacity) != (None, 0, Distribution.UNIFORM, None):
            raise InputError(
                f"{what} is a fixed set: --size, --seed, --distribution, --capacity and limits of "
                "routes cannot be used"
            )
        _write_set(what, out)
        return
    if what not in ("tsp", "cvrp"):
        raise InputError(f"unknown {what!r}: choose tsp, cvrp, or one of {', '.join(TEST_SETS)}")
    if size is None:
        raise InputError("the number of nodes is missing: use --size")
    if what == "tsp" and (capacity is not None or limits):
        raise InputError("a TSP has no capacity and no limits of routes")
    io.require_problem_format(out, what.upper(), Metric.EUCLIDEAN)
    require_writable(out)
    if what == "cvrp":
        if service is not None:
            limits["service"] = [0.0] + size * [service]
        problem = sil.generate_cvrp(size, seed, distribution, capacity).replace(**limits)
    else:
        problem = sil.generate_tsp(size, seed, distribution)
    io.write(out, problem)
    print(f"written     {printable(out)}: {problem.kind} of {problem.num_nodes:,} nodes")


def _write_set(name: str, out: Path) -> None:
    test_set = TEST_SETS[name]
    if out.suffix.lower() == ".npz":
        require_writable(out)
        write_problems_npz(out, list(test_set.problems()))
    elif out.suffix:
        raise InputError(f"{printable(out)}: a test set is written to one .npz file or to a folder")
    else:
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"{printable(out)}: cannot create this folder: {error.strerror}"
            ) from error
        for problem in test_set.problems():
            io.write(out / f"{problem.name}.npz", problem)
    print(f"written     {printable(out)}: {test_set.count} instances of {name}")
