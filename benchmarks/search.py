"""Gap against time of the native search, on the sets of the paper.

    python -m benchmarks.search DATA [--out FOLDER] [--only cvrp5k:5 x:30 ...] [--method auto]

DATA contains ``best_known.csv``, ``tsplib/``, ``cvrplib/`` and ``uniform/`` with reference costs.
Each row of ``search.csv`` is one run with its own time limit, because the search behaves
differently when it knows its limit. ``search.png`` shows the mean gap per set.
"""

import math
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import sil
from benchmarks.arguments import (
    RESULTS,
    add_sets,
    count,
    new_folder,
    parser,
    threads,
    usage_errors,
)
from sil.bench import sets
from sil.errors import InputError
from sil.io.atomic import replacing
from sil.io.records import csv_text, read_records

TSPLIB = ("rl5915", "rl5934", "rl11849", "brd14051", "d15112", "d18512", "pcb3038", "fnl4461")
BELGIUM = (
    "Antwerp1",
    "Antwerp2",
    "Brussels1",
    "Brussels2",
    "Flanders1",
    "Flanders2",
    "Ghent1",
    "Ghent2",
)
X = (
    "X-n101-k25",
    "X-n200-k36",
    "X-n303-k21",
    "X-n439-k37",
    "X-n502-k39",
    "X-n627-k43",
    "X-n783-k48",
    "X-n1001-k43",
)
# The cost of a CVRP100K instance depends on the position of its depot. Costs are corrected to this
# mean distance from the depot.
MEAN_DEPOT_DISTANCE = 0.5214
LKH_TSP100K, HGS_CVRP100K, ESTIMATE_TSP1M = 225.99, 476.11, 713.0

BUDGETS: dict[str, tuple[float, ...]] = {
    "tsp5k": (2, 10, 40),
    "tsp100k": (10, 60, 300),
    "tsp1m": (120,),
    "tsplib": (60,),
    "cvrp5k": (5, 30, 60),
    "cvrp100k": (60, 300),
    "belgium": (60, 300),
    "x": (30,),
}


@dataclass(frozen=True)
class Run:
    """One run. The fields are the columns of ``search.csv``."""

    set: str
    instance: str
    method: str
    threads: int
    budget: float
    seconds: float
    cost: float
    gap_percent: float


@dataclass(frozen=True)
class Case:
    problem: sil.Problem
    reference: float
    correction: float = 0.0  # subtracted from the cost


LIBRARIES = {"tsplib": TSPLIB, "belgium": BELGIUM, "x": X}


def require_data(names: Iterable[str], data: Path) -> None:
    """Raise an error before any work is done if data of these sets is missing."""
    for name in names:
        if name in LIBRARIES:
            sets.library_files(data, LIBRARIES[name])
        elif name in ("tsp5k", "cvrp5k") and next(sets.cases(name, 1, data)).reference is None:
            raise InputError(f"{data}: there are no solutions of {name} in uniform/")


def wanted(only: Iterable[str], usual: Mapping[str, object]) -> list[tuple[str, float | None]]:
    """Split the values of `--only` into sets and numbers, None if there is no number."""
    found = []
    for text in only:
        name, colon, number = text.partition(":")
        if name not in usual:
            raise InputError(f"--only {text}: choose from {', '.join(usual)}")
        try:
            value = float(number) if colon else None
        except ValueError:
            value = math.nan
        if value is not None and not 0 < value < math.inf:
            raise InputError(f"--only {text}: a number above 0 must follow the colon")
        found.append((name, value))
    return found


def cases(name: str, data: Path) -> Iterator[Case]:
    if name in ("tsp5k", "cvrp5k"):
        for case in sets.cases(name, 16, data):
            assert case.reference is not None, f"{data} has no references for {name}"
            yield Case(case.problem, case.reference)
    elif name == "cvrp100k":
        for seed in range(4):
            problem = sil.generate_cvrp(100_000, seed, capacity=2_000)
            assert problem.demand is not None and problem.capacity is not None
            away = problem.distance(problem.nodes, 0).mean() - MEAN_DEPOT_DISTANCE
            moved = 2 * away * problem.demand.sum() / problem.capacity
            yield Case(problem, HGS_CVRP100K, moved)
    elif name == "tsp100k":
        yield Case(sil.generate_tsp(100_000, 1234), LKH_TSP100K)
    elif name == "tsp1m":
        yield Case(sil.generate_tsp(1_000_000, 1234), ESTIMATE_TSP1M)
    else:
        for case in sets.library_cases(data, LIBRARIES[name]):
            assert case.reference is not None
            yield Case(case.problem, case.reference)


def run(name: str, budget: float, case: Case, method: str, threads: int) -> Run:
    problem = case.problem
    made = sil.method_named(method, problem)
    begun = time.perf_counter()
    result = sil.solve(problem, sil.MaxRuntime(budget), method=made, threads=threads)
    seconds = time.perf_counter() - begun
    cost = result.cost() - case.correction
    gap = 100 * (cost / case.reference - 1)
    print(f"{name:9} {budget:4g} s  {problem.name:28} {cost:14,.2f} {gap:+8.3f} %", flush=True)
    return Run(
        name,
        problem.name,
        method,
        threads,
        budget,
        round(seconds, 2),
        round(cost, 6),
        round(gap, 4),
    )


PANELS = {
    "TSP": ("tsp5k", "tsp100k", "tsp1m", "tsplib"),
    "CVRP": ("cvrp5k", "belgium", "x"),
    "CVRP100K": ("cvrp100k",),
}


def draw(runs: list[Run], path: Path) -> None:
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, len(PANELS), figsize=(11, 4), layout="constrained")
    for (title, names), axes in zip(PANELS.items(), panels, strict=True):
        for name in names:
            gaps: dict[float, list[float]] = {}
            for each in runs:
                if each.set == name:
                    gaps.setdefault(each.budget, []).append(each.gap_percent)
            budgets = sorted(gaps)
            axes.plot(budgets, [np.mean(gaps[b]) for b in budgets], "o-", label=name)
        axes.axhline(0, color="black", linewidth=0.8)
        axes.set(xscale="log", xlabel="time limit in seconds", title=title)
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter("")
        axes.legend(fontsize="small")
    panels[0].set_ylabel("mean gap to reference in %")
    with replacing(path) as scratch:
        figure.savefig(scratch, dpi=120)


def main() -> None:
    command = parser(__doc__)
    add_sets(command, BUDGETS, "SECONDS")
    command.add_argument(
        "--out", type=new_folder, default=RESULTS, help="folder to write to; default: %(default)s"
    )
    command.add_argument("--count", type=count, help="maximum number of instances per set")
    command.add_argument("--method", default="search", help="as in sil solve; default: %(default)s")
    command.add_argument(
        "--threads", type=threads, default=2, help="number of threads; default: %(default)s"
    )
    arguments = command.parse_args()
    with usage_errors(command):
        only = wanted(arguments.only, BUDGETS)
        require_data([name for name, _ in only], arguments.data)
        sil.method_named(arguments.method, sil.generate_tsp(10))
    arguments.out.mkdir(parents=True, exist_ok=True)
    table = arguments.out / "search.csv"
    for name, seconds in only:
        for budget in BUDGETS[name] if seconds is None else (seconds,):
            for case in list(cases(name, arguments.data))[: arguments.count]:
                found = run(name, budget, case, arguments.method, arguments.threads)
                header = None if table.exists() else Run
                with table.open("a", newline="", encoding="utf-8") as file:
                    file.write(csv_text([found], header))
    draw(read_records(table, Run), arguments.out / "search.png")


if __name__ == "__main__":
    main()
