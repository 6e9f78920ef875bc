"""The command ``sil generate``."""

from pathlib import Path
from typing import Annotated

import typer

import sil
from sil import io
from sil.cli.common import require_folder
from sil.errors import InputError
from sil.generate import TEST_SETS, Distribution
from sil.io.arrays import write_problems_npz


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
    require_folder(out)
    if what == "cvrp":
        problem = sil.generate_cvrp(size, seed, distribution, capacity)
    elif capacity is not None:
        raise InputError("a TSP has no capacity")
    else:
        problem = sil.generate_tsp(size, seed, distribution)
    io.write(out, problem)
    print(f"written     {out}: {problem.kind} of {problem.num_nodes:,} nodes")


def _write_set(name: str, out: Path) -> None:
    problems = list(TEST_SETS[name].problems())
    if out.suffix.lower() == ".npz":
        require_folder(out)
        write_problems_npz(out, problems)
    elif out.suffix:
        raise InputError(f"{out}: a set is written to one .npz file or to a folder")
    else:
        out.mkdir(parents=True, exist_ok=True)
        for problem in problems:
            io.write(out / f"{problem.name}.npz", problem)
    print(f"written     {out}: {len(problems)} instances of {name}")
