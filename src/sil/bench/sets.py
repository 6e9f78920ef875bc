"""The instances of a benchmark and the costs that they are measured against."""

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from sil import io
from sil.errors import InputError
from sil.generate import TEST_SETS, generate_cvrp, generate_tsp
from sil.problem import Problem
from sil.solution import Solution, require_valid

# Solutions that came with the paper's 5K sets.
_TOURS = Path("uniform") / "test_tsp5000_lkh3_n16.txt"
_ROUTES = Path("uniform") / "test_cvrp5000_hgs_n16_C500.txt"


@dataclass(frozen=True)
class Case:
    """An instance with what is known about it.

    Parameters
    ----------
    set_name
        The set that it is part of.
    problem
        The instance.
    reference
        A cost to measure gaps against; None to take the best of the benchmark itself.
    origin
        Where the reference comes from.
    """

    set_name: str
    problem: Problem
    reference: float | None = None
    origin: str = "best of this benchmark"


def cases(name: str, count: int, data: Path | None = None) -> Iterator[Case]:
    """Make the first instances of a set.

    Parameters
    ----------
    name
        One of the paper's sets, such as ``tsp5k``, or ``tsp-`` or ``cvrp-`` and a size.
    count
        How many.
    data
        A folder with ``uniform/``, where the reference solutions of the paper's 5K sets may be.
    """
    kind, _, size = name.partition("-")
    if size.isdigit() and kind in ("tsp", "cvrp"):
        generate = generate_tsp if kind == "tsp" else generate_cvrp
        for seed in range(count):
            yield Case(name, generate(int(size), seed))
        return
    if name not in TEST_SETS:
        raise InputError(f"unknown set {name!r}: choose from {', '.join(TEST_SETS)}")
    known = _known_costs(name, data)
    for index, problem in enumerate(islice(TEST_SETS[name].problems(), count)):
        if known is None:
            yield Case(name, problem)
        else:
            yield Case(name, problem, known[1](problem, index), known[0])


def library_cases(folder: Path, names: tuple[str, ...] = ()) -> Iterator[Case]:
    """Read the instances of a folder that its ``best_known.csv`` names.

    Parameters
    ----------
    folder
        With ``.tsp`` and ``.vrp`` files anywhere below it. The csv has the columns ``instance`` and
        ``best_known``.
    names
        Which of them; all if there are none.
    """
    table = folder / "best_known.csv"
    if not table.is_file():
        raise InputError(f"{folder}: there is no best_known.csv in this folder")
    try:
        with table.open(newline="", encoding="utf-8") as file:
            best = {row["instance"]: float(row["best_known"]) for row in csv.DictReader(file)}
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{table}: needs the columns instance and best_known, a number: {error!r}"
        ) from error
    files = {path.stem: path for path in sorted(folder.rglob("*.[tv][sr]p"))}
    for name in names or sorted(set(best) & set(files)):
        if name not in best or name not in files:
            raise InputError(f"{folder}: {name} is not there, or not in best_known.csv")
        problem = io.read(files[name])
        yield Case(name, problem, best[name], "best known")


def require_references(data: Path | None) -> None:
    """Find out at the beginning that a folder has nothing to measure the paper's sets against."""
    if data is not None and not ((data / _TOURS).is_file() or (data / _ROUTES).is_file()):
        raise InputError(f"{data}: neither {_TOURS} nor {_ROUTES} is there; leave out --data")


def _known_costs(
    name: str, data: Path | None
) -> tuple[str, Callable[[Problem, int], float]] | None:
    """Find the solutions that came with the paper's 5K sets: their origin, and a cost by index."""
    if data is None:
        return None
    tours, routes = data / _TOURS, data / _ROUTES
    if name == "tsp5k" and tours.is_file():
        lines = tours.read_text(encoding="utf-8").splitlines()

        def tour_cost(problem: Problem, index: int) -> float:
            words = lines[index].split()
            tour = np.array(words[words.index("output") + 1 : -1], dtype=np.int32) - 1
            require_valid(Solution(tour), problem)
            return float(Solution(tour).cost(problem))

        return "LKH-3, same instance", tour_cost
    if name == "cvrp5k" and routes.is_file():
        lines = routes.read_text(encoding="utf-8").splitlines()

        def routes_cost(problem: Problem, index: int) -> float:
            words = lines[index].split(",")
            begin, size = words.index("node_flag") + 1, problem.num_nodes
            nodes = np.array(words[begin : begin + size], dtype=np.int32)
            flags = np.array(words[begin + size : begin + 2 * size], dtype=np.int32)
            solution = Solution(nodes, flags == 1)
            require_valid(solution, problem)
            return float(solution.cost(problem))

        return "HGS, same instance", routes_cost
    return None
