"""The instances of a benchmark and the costs that gaps are measured against."""

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from sil import io
from sil.bench.best_known import best_known, read_best_known
from sil.errors import InputError, SilError, printable
from sil.generate import TEST_SETS, generate_cvrp, generate_tsp
from sil.problem import Problem
from sil.solution import Solution, require_valid

# Solutions that were published with the paper's 5K sets.
_TOURS = Path("uniform") / "test_tsp5000_lkh3_n16.txt"
_ROUTES = Path("uniform") / "test_cvrp5000_hgs_n16_C500.txt"


OWN_BEST = "best of this benchmark"  # the reference of an instance without a known one


@dataclass(frozen=True)
class Case:
    """An instance and what is known about it.

    Parameters
    ----------
    set_name
        The set that it belongs to.
    problem
        The instance.
    reference
        The cost to measure gaps against; None for the best cost of the benchmark itself.
    origin
        Where the reference comes from.
    """

    set_name: str
    problem: Problem
    reference: float | None = None
    origin: str = OWN_BEST

    def __post_init__(self) -> None:
        if not self.set_name or not self.set_name.isprintable():
            raise InputError(f"the name of the set is {self.set_name!r}: it must be printable")
        if self.reference is not None and not (
            math.isfinite(self.reference) and self.reference >= 0
        ):
            raise InputError(
                f"{self.set_name}: the reference is {self.reference}: it must be finite, at least 0"
            )


def cases(name: str, count: int, data: Path | None = None) -> Iterator[Case]:
    """Generate the first instances of a set.

    Parameters
    ----------
    name
        One of the paper's sets, such as ``tsp5k``, or ``tsp-`` or ``cvrp-`` and a size.
    count
        Number of instances.
    data
        A folder whose subfolder ``uniform/`` may contain reference solutions of the paper's 5K
        sets.
    """
    kind, _, size = name.partition("-")
    if size.isdigit() and kind in ("tsp", "cvrp"):
        generate = generate_tsp if kind == "tsp" else generate_cvrp
        for seed in range(count):
            yield Case(name, generate(int(size), seed))
        return
    if name not in TEST_SETS:
        raise InputError(f"unknown set {name!r}: choose from {', '.join(TEST_SETS)}")
    known = _known_solutions(name, data)
    for index, problem in enumerate(islice(TEST_SETS[name].problems(), count)):
        if known is None or index >= len(known.solutions):
            yield Case(name, problem)
            continue
        try:
            require_valid(known.solutions[index], problem)
        except SilError as error:
            raise InputError(f"{known.file}: line {index + 1}: {error}") from error
        yield Case(name, problem, float(known.solutions[index].cost(problem)), known.origin)


def library_cases(folder: Path, names: tuple[str, ...] = ()) -> Iterator[Case]:
    """Read the instances of a folder that its ``best_known.csv`` lists.

    A file that cannot be read is left out, with a note, unless it was asked for by its name.

    Parameters
    ----------
    folder
        Contains ``.tsp`` and ``.vrp`` files, also in subfolders. The csv file has the columns
        ``instance`` and ``best_known``; if we know a smaller value, that one is the reference.
    names
        The instances to read; all if empty.
    """
    for name, (file, cost) in library_files(folder, names).items():
        try:
            problem = io.read(file)
        except InputError as error:
            if names:
                raise
            print(f"note: left out: {printable(error)}", file=sys.stderr)
            continue
        best = best_known(name, problem, cost)
        assert best is not None
        yield Case(name, problem, best.cost, best.origin)


def library_files(folder: Path, names: tuple[str, ...] = ()) -> dict[str, tuple[Path, float]]:
    """Find the files of a library and the user's best known costs, without reading the instances.

    For the parameters see `library_cases`.
    """
    table = folder / "best_known.csv"
    if not table.is_file():
        raise InputError(f"{folder}: there is no best_known.csv in this folder")
    best = read_best_known(table)
    files = {path.stem: path for path in sorted(folder.rglob("*.[tv][sr]p"))}
    for name in names:
        if name not in best or name not in files:
            raise InputError(f"{folder}: {name} is missing, or not listed in best_known.csv")
    return {name: (files[name], best[name]) for name in names or sorted(set(best) & set(files))}


def require_references(data: Path | None) -> None:
    """Raise an error before any work is done if a folder has no reference solutions."""
    if data is None:
        return
    if not ((data / _TOURS).is_file() or (data / _ROUTES).is_file()):
        raise InputError(f"{data}: contains neither {_TOURS} nor {_ROUTES}; leave out --data")
    for name in ("tsp5k", "cvrp5k"):
        _known_solutions(name, data)


@dataclass(frozen=True)
class _Known:
    """Published solutions of a set, in the order of its instances."""

    file: Path
    origin: str
    solutions: list[Solution]


def _known_solutions(name: str, data: Path | None) -> _Known | None:
    """Read the published solutions of one of the paper's 5K sets, if there are any."""
    if data is None or name not in ("tsp5k", "cvrp5k"):
        return None
    below, origin, read = {
        "tsp5k": (_TOURS, "LKH-3, same instance", _tour),
        "cvrp5k": (_ROUTES, "HGS, same instance", _routes),
    }[name]
    file = data / below
    if not file.is_file():
        return None
    solutions: list[Solution] = []
    try:
        for line in file.read_text(encoding="utf-8").splitlines():
            solutions.append(read(line))
    except (OSError, ValueError, OverflowError, SilError) as error:
        number = len(solutions) + 1
        raise InputError(f"{file}: line {number} is not a solution of {name}: {error}") from error
    return _Known(file, origin, solutions)


def _tour(line: str) -> Solution:
    """Read ``x y … output t1 … tn t1``, where nodes are numbered from 1."""
    words = line.split()
    return Solution(np.array(words[words.index("output") + 1 : -1], dtype=np.int32) - 1)


def _routes(line: str) -> Solution:
    """Read ``…,node_flag,``, then the nodes, then their flags: 1 directly after the depot."""
    words = line.split(",")
    numbers = words[words.index("node_flag") + 1 :]
    size = len(numbers) // 2
    flags = np.array(numbers[size : 2 * size], dtype=np.int32)
    return Solution(np.array(numbers[:size], dtype=np.int32), flags == 1)
