"""Quality of the policy without the search, on the sets of docs/weights.md.

    python -m benchmarks.weights DATA [--out FILE.csv] [--only tsp1k:100 ...] [--weights FILE]

Measures gaps after several numbers of rounds, starting from random insertion (``--method policy``).
DATA is the same as for `benchmarks.search`. Gaps on TSP1K and TSP10K are to a long native search
of the same instance.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import fmean

import sil
from benchmarks.arguments import RESULTS, add_sets, new_file, parser, usage_errors
from benchmarks.search import Case, cases, require_data, wanted
from sil.errors import InputError
from sil.io.atomic import write_csv
from sil.policy.native import NativePolicy
from sil.policy.weights import load

HGS_CVRP1K = 36.29
ROUNDS = {
    "tsp1k": 1000, "tsp10k": 100, "tsp100k": 10, "tsplib": 100, "cvrp1k": 100, "cvrp5k": 100,
    "cvrp100k": 10,
}  # fmt: skip
SHOWN = (10, 50, 100, 500, 1000)


@dataclass(frozen=True)
class Measured:
    """Gaps on one instance, in percent."""

    set: str
    instance: str
    seconds: float
    start: float
    greedy: float
    prc: dict[int, float]  # by the number of rounds

    def amounts(self) -> dict[str, float]:
        """All numbers under the names of their columns."""
        prc = {f"PRC{rounds}": gap for rounds, gap in self.prc.items()}
        return {"seconds": self.seconds, "start": self.start, "greedy": self.greedy, **prc}

    def cells(self) -> dict[str, object]:
        """The row of the csv file."""
        return {"set": self.set, "instance": self.instance, **self.amounts()}


def cases_of(name: str, data: Path) -> Iterator[Case]:
    if name in ("tsp1k", "tsp10k"):
        count, seconds = (32, 10.0) if name == "tsp1k" else (2, 120.0)
        for problem in islice(sil.TEST_SETS[name].problems(), count):
            best = sil.solve(problem, sil.MaxRuntime(seconds), method="search")
            yield Case(problem, float(best.cost()))
    elif name == "cvrp1k":
        for problem in islice(sil.TEST_SETS[name].problems(), 32):
            yield Case(problem, HGS_CVRP1K)
    else:
        yield from cases(name, data)


def measure(name: str, case: Case, rounds: int, weights: Path | str) -> Measured:
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

    def after(round_: int) -> float:
        """Gap after this number of rounds; the history only has rounds that improved."""
        return gap(min(step.cost for step in result.history if step.iteration <= round_))

    prc = {count: after(count) for count in SHOWN if count <= rounds}
    return Measured(name, problem.name, round(seconds, 1), after(0), gap(greedy), prc)


def require_weights(names: list[str], weights: Path | None) -> None:
    """Raise an error before any work is done if the weights do not fit the sets."""
    if weights is None:
        return
    problem = load(weights)[0].problem
    for name in names:
        if name.startswith("cvrp") != (problem == "CVRP"):
            raise InputError(f"{weights} is for {problem}, not for {name}; choose sets with --only")


def main() -> None:
    command = parser(__doc__)
    add_sets(command, ROUNDS, "ROUNDS")
    command.add_argument(
        "--out",
        type=new_file,
        default=RESULTS / "weights.csv",
        help="csv file to write; default: %(default)s",
    )
    command.add_argument("--weights", type=Path, help="weights file; default: the shipped weights")
    arguments = command.parse_args()
    with usage_errors(command):
        only = wanted(arguments.only, ROUNDS)
        if any(rounds != int(rounds or 0) for _, rounds in only if rounds is not None):
            raise InputError("--only SET:ROUNDS: the number of rounds must be a whole number")
        require_data([name for name, _ in only], arguments.data)
        require_weights([name for name, _ in only], arguments.weights)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    rows: list[Measured] = []
    for name, rounds in only:
        found = [
            measure(name, case, int(rounds or ROUNDS[name]), arguments.weights or "fast")
            for case in cases_of(name, arguments.data)
        ]
        means = {
            column: fmean(row.amounts()[column] for row in found) for column in found[0].amounts()
        }
        text = ", ".join(f"{column} {mean:.2f}" for column, mean in means.items())
        print(f"{name} ({len(found)} instances): {text}", flush=True)
        rows += found
        write_csv(arguments.out, [row.cells() for row in rows])


if __name__ == "__main__":
    main()
