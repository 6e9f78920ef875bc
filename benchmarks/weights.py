"""Quality of the policy without the search, on the sets of docs/weights.md.

    python -m benchmarks.weights DATA [--out FILE.csv] [--only tsp1k:100 ...] [--count N]
        [--weights FILE] [--search SECONDS]

Measures gaps after several numbers of rounds, starting from random insertion (``--method policy``),
and prints their means and standard errors. DATA is the same as for `benchmarks.search`. The csv
file gets a row per instance; the same command resumes an interrupted measurement.

References: for TSP1K and TSP10K a long native search of the same instance; for CVRP1K and CVRP10K
the mean of HGS over the paper's set, corrected by the difference between the legs to the depot of
this instance and those of the set; for others as in `benchmarks.search`.
"""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from itertools import islice
from pathlib import Path
from statistics import fmean, stdev

import sil
from benchmarks.arguments import RESULTS, add_sets, count, new_file, parser, usage_errors
from benchmarks.search import Case, cases, require_data, wanted
from sil.errors import InputError
from sil.io.records import csv_text, read_records
from sil.policy.native import NativePolicy
from sil.policy.weights import load

ROUNDS = {
    "tsp1k": 1000, "tsp5k": 100, "tsp10k": 100, "tsp100k": 100, "tsplib": 100,
    "cvrp1k": 1000, "cvrp5k": 100, "cvrp10k": 100, "cvrp100k": 50, "belgium": 100,
}  # fmt: skip
COUNTS = {"tsp1k": 32, "tsp10k": 16, "tsp100k": 4, "cvrp1k": 32, "cvrp10k": 16}
SECONDS = {"tsp1k": 10.0, "tsp10k": 120.0}  # of the search that finds the reference
HGS = {"cvrp1k": 36.29, "cvrp10k": 107.40}  # means over the paper's sets
LKH_TSP100K = 225.99


@dataclass(frozen=True)
class Measured:
    """Gaps on one instance, in percent; the fields are the columns of the csv file."""

    set: str
    instance: str
    rounds: int
    seconds: float
    start: float
    greedy: float
    prc10: float | None
    prc50: float | None
    prc100: float | None
    prc500: float | None
    prc1000: float | None
    search: float | None  # our native search, with the time limit of --search


GAPS = [field.name for field in fields(Measured)][4:]


def cases_of(name: str, data: Path, first: int, number: int | None) -> Iterator[Case]:
    """Find the instances of a set from the one with index `first` on, `number` in all."""
    if name not in COUNTS:
        yield from islice(cases(name, data), first, number)
        return
    problems = list(islice(sil.TEST_SETS[name].problems(), first, number or COUNTS[name]))
    if name in HGS:
        mean = fmean(legs(problem) for problem in sil.TEST_SETS[name].problems())
    for problem in problems:
        if name in HGS:
            yield Case(problem, HGS[name], legs(problem) - mean)
        elif name == "tsp100k":
            yield Case(problem, LKH_TSP100K)
        else:
            best = sil.solve(problem, sil.MaxRuntime(SECONDS[name]), method="search")
            yield Case(problem, float(best.cost()))


def legs(problem: sil.Problem) -> float:
    """Length of the way to all customers and back, shared among full vehicles."""
    assert problem.demand is not None and problem.capacity is not None
    away = problem.distance(problem.nodes, 0)
    return float(2 * (away * problem.demand[problem.nodes]).sum() / problem.capacity)


def measure(
    name: str, case: Case, rounds: int, weights: Path | str, search: float | None
) -> Measured:
    problem = case.problem
    policy = NativePolicy.load(problem, weights)
    greedy = policy.construct(problem).cost(problem)
    begun = time.perf_counter()
    result = sil.solve(
        problem,
        sil.MaxIterations(rounds),
        method=sil.method_named("policy", problem, policy=policy),
    )
    seconds = time.perf_counter() - begun

    def gap(cost: float) -> float:
        return round(100 * ((cost - case.correction) / case.reference - 1), 4)

    def after(round_: int) -> float | None:
        """Gap after this number of rounds; the history only has rounds that improved."""
        if round_ > rounds:
            return None
        return gap(min(step.cost for step in result.history if step.iteration <= round_))

    searched = None
    if search is not None:
        searched = gap(sil.solve(problem, sil.MaxRuntime(search), method="search").cost())
    start = after(0)
    assert start is not None
    return Measured(
        name,
        problem.name,
        rounds,
        round(seconds, 1),
        start,
        gap(greedy),
        after(10),
        after(50),
        after(100),
        after(500),
        after(1000),
        searched,
    )


def require_weights(names: list[str], weights: Path | None) -> None:
    """Raise an error before any work is done if the weights do not fit the sets."""
    if weights is None:
        return
    problem = load(weights)[0].problem
    for name in names:
        if (name.startswith("cvrp") or name == "belgium") != (problem == "CVRP"):
            raise InputError(f"{weights} is for {problem}, not for {name}; choose sets with --only")


def summary(name: str, rows: Iterable[Measured]) -> str:
    """Means over the instances, with standard errors."""
    found = list(rows)
    parts = []
    for column in GAPS:
        values = [getattr(row, column) for row in found]
        if None in values:
            continue
        error = f" ± {stdev(values) / len(values) ** 0.5:.2f}" if len(values) > 1 else ""
        parts.append(f"{column} {fmean(values):.2f}{error}")
    return f"{name} ({len(found)} instances): {', '.join(parts)}"


def main() -> None:
    command = parser(__doc__)
    add_sets(command, ROUNDS, "ROUNDS")
    command.add_argument(
        "--out",
        type=new_file,
        default=RESULTS / "weights.csv",
        help="csv file to write, or to continue; default: %(default)s",
    )
    command.add_argument("--weights", type=Path, help="weights file; default: the shipped weights")
    command.add_argument("--count", type=count, help="maximum number of instances per set")
    command.add_argument("--search", type=float, help="also search for this many seconds")
    arguments = command.parse_args()
    out = arguments.out
    with usage_errors(command):
        only = wanted(arguments.only, ROUNDS)
        if any(rounds != int(rounds or 0) for _, rounds in only if rounds is not None):
            raise InputError("--only SET:ROUNDS: the number of rounds must be a whole number")
        require_data([name for name, _ in only], arguments.data)
        require_weights([name for name, _ in only], arguments.weights)
    out.parent.mkdir(parents=True, exist_ok=True)
    if not out.exists():
        out.write_text(csv_text([], Measured), encoding="utf-8")
    for name, limit in only:
        rounds, weights = int(limit or ROUNDS[name]), arguments.weights or "fast"
        rows = [row for row in read_records(out, Measured) if row.set == name]
        for case in cases_of(name, arguments.data, len(rows), arguments.count):
            rows.append(measure(name, case, rounds, weights, arguments.search))
            with out.open("a", newline="", encoding="utf-8") as file:
                file.write(csv_text(rows[-1:]))
        print(summary(name, rows), flush=True)


if __name__ == "__main__":
    main()
