"""The instances of a benchmark and the costs that they are measured against."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from sil import io
from sil.bench.best_known import best_known, read_best_known
from sil.errors import InputError, SilError
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

    def __post_init__(self) -> None:
        if not self.set_name or not self.set_name.isprintable():
            raise InputError(f"the name of a set must be printable, not {self.set_name!r}")
        if self.reference is not None and not (
            math.isfinite(self.reference) and self.reference >= 0
        ):
            raise InputError(f"{self.set_name}: a cost to measure against is a number from 0 on")


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
    """Read the instances of a folder that its ``best_known.csv`` names.

    Parameters
    ----------
    folder
        With ``.tsp`` and ``.vrp`` files anywhere below it. The csv has the columns ``instance`` and
        ``best_known``; where we know a smaller value, gaps are measured against that.
    names
        Which of them; all if there are none.
    """
    for name, (file, cost) in library_files(folder, names).items():
        problem = io.read(file)
        best = best_known(name, problem, cost)
        assert best is not None
        yield Case(name, problem, best.cost, best.origin)


def library_files(folder: Path, names: tuple[str, ...] = ()) -> dict[str, tuple[Path, float]]:
    """Find the files of a library and the user's best known costs, without reading the instances.

    The parameters are those of `library_cases`.
    """
    table = folder / "best_known.csv"
    if not table.is_file():
        raise InputError(f"{folder}: there is no best_known.csv in this folder")
    best = read_best_known(table)
    files = {path.stem: path for path in sorted(folder.rglob("*.[tv][sr]p"))}
    for name in names:
        if name not in best or name not in files:
            raise InputError(f"{folder}: {name} is not there, or not in best_known.csv")
    return {name: (files[name], best[name]) for name in names or sorted(set(best) & set(files))}


def require_references(data: Path | None) -> None:
    """Find out at the beginning that a folder has nothing to measure the paper's sets against."""
    if data is None:
        return
    if not ((data / _TOURS).is_file() or (data / _ROUTES).is_file()):
        raise InputError(f"{data}: neither {_TOURS} nor {_ROUTES} is there; leave out --data")
    for name in ("tsp5k", "cvrp5k"):
        _known_solutions(name, data)


@dataclass(frozen=True)
class _Known:
    """Solutions that came with a set, in the order of its instances."""

    file: Path
    origin: str
    solutions: list[Solution]


def _known_solutions(name: str, data: Path | None) -> _Known | None:
    """Read the solutions that came with one of the paper's 5K sets, if they are there."""
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
        raise InputError(f"{file}: line {number} is no solution of {name}: {error}") from error
    return _Known(file, origin, solutions)


def _tour(line: str) -> Solution:
    """Read ``x y … output t1 … tn t1``, whose nodes are numbered from 1 on."""
    words = line.split()
    return Solution(np.array(words[words.index("output") + 1 : -1], dtype=np.int32) - 1)


def _routes(line: str) -> Solution:
    """Read ``…,node_flag,`` and then as many nodes as flags, which are 1 behind the depot."""
    words = line.split(",")
    numbers = words[words.index("node_flag") + 1 :]
    size = len(numbers) // 2
    flags = np.array(numbers[size : 2 * size], dtype=np.int32)
    return Solution(np.array(numbers[:size], dtype=np.int32), flags == 1)
