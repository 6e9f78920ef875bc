"""What a policy reaches by itself: gaps after so many rounds, on the sets of the model card.

    python -m benchmarks.weights DATA [--out FILE.csv] [--only tsp1k:100 ...] [--weights FILE]

From random insertion, by the policy alone (``--method policy``). DATA is as in
`benchmarks.search`. Gaps on TSP1K and TSP10K are to a long native search of the same instance.
"""

import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

import sil
from benchmarks.arguments import RESULTS, folder, new_file, parser, usage_errors
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


def measure(name: str, case: Case, rounds: int, weights: Path | str) -> dict[str, object]:
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
        """Gap after so many rounds; the history has improvements only."""
        return gap(min(step.cost for step in result.history if step.iteration <= round_))

    row: dict[str, object] = {"set": name, "instance": problem.name, "seconds": round(seconds, 1)}
    row |= {"start": after(0), "greedy": gap(greedy)}
    return row | {f"PRC{count}": after(count) for count in SHOWN if count <= rounds}


def require_weights(names: list[str], weights: Path | None) -> None:
    """Find out at the beginning that weights cannot be read, or are for the other problem."""
    if weights is None:
        return
    problem = load(weights)[0].problem
    for name in names:
        if name.startswith("cvrp") != (problem == "CVRP"):
            raise InputError(f"{weights} is for {problem}, not for {name}; choose sets with --only")


def main() -> None:
    command = parser(__doc__)
    command.add_argument("data", type=folder, metavar="DATA")
    command.add_argument(
        "--out", type=new_file, default=RESULTS / "weights.csv", help="default: %(default)s"
    )
    command.add_argument(
        "--only",
        nargs="+",
        default=list(ROUNDS),
        metavar="SET[:ROUNDS]",
        help=f"which of {', '.join(ROUNDS)}; default: all",
    )
    command.add_argument("--weights", type=Path, help="default: those that come with the package")
    arguments = command.parse_args()
    with usage_errors(command):
        only = wanted(arguments.only, ROUNDS)
        if any(rounds != int(rounds or 0) for _, rounds in only if rounds is not None):
            raise InputError("--only SET:ROUNDS: rounds are a whole number")
        require_data([name for name, _ in only], arguments.data)
        require_weights([name for name, _ in only], arguments.weights)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    rows = []
    for name, rounds in only:
        of = [
            measure(name, case, int(rounds or ROUNDS[name]), arguments.weights or "fast")
            for case in cases_of(name, arguments.data)
        ]
        numbers = [column for column in of[0] if column not in ("set", "instance")]
        means = {column: np.mean([float(str(row[column])) for row in of]) for column in numbers}
        text = ", ".join(f"{column} {mean:.2f}" for column, mean in means.items())
        print(f"{name} ({len(of)} instances): {text}", flush=True)
        rows += of
        write_csv(arguments.out, rows)


if __name__ == "__main__":
    main()
