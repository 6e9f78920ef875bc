"""Doing an experiment: what is missing in its folder, one run after the other."""

import platform
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import sil
from sil._native import Interrupt
from sil.bench.confined import Outcome, run
from sil.bench.method import Limits
from sil.bench.methods import method_named
from sil.bench.results import Key, Results, Row, Status
from sil.bench.sets import Case
from sil.bench.suites import Group
from sil.io import write, write_solution
from sil.solve import available_threads


@dataclass(frozen=True)
class Confines:
    """What every run may use.

    Parameters
    ----------
    threads
        Cores, of which each run gets the same.
    memory_gb
        Address space.
    most_seconds
        When a method without time limit is killed.
    """

    threads: int
    memory_gb: float = 16.0
    most_seconds: float = 3600.0


def run_suite(
    suite: str,
    groups: list[Group],
    folder: Path,
    confines: Confines,
    show: Callable[[Row, int, int], None],
    interrupt: Interrupt,
) -> bool:
    """Run what a suite has not run yet; return whether it is complete.

    Parameters
    ----------
    suite
        Its name.
    groups
        What it runs.
    folder
        Holds ``results.csv``, the instances and the best solution of each.
    confines
        What every run may use.
    show
        Is told of each new row, with how many are done and how many there are.
    interrupt
        When set, the row under way is given up.
    """
    results = Results(folder)
    with results.locked():
        return _run_missing(suite, groups, results, confines, show, interrupt)


def _run_missing(
    suite: str,
    groups: list[Group],
    results: Results,
    confines: Confines,
    show: Callable[[Row, int, int], None],
    interrupt: Interrupt,
) -> bool:
    total = sum(group.count * _runs_a_case(group) for group in groups)
    done = 0
    for group in groups:
        for case in group.cases:
            for name in group.methods:
                for seconds in group.seconds if method_named(name).timed else (0.0,):
                    if interrupt.is_set():
                        return False
                    done += 1
                    limits = Limits(seconds, confines.threads, seed=0)
                    absent = method_named(name).missing(case.problem)
                    before = results.find(_key(suite, case, name, limits))
                    if before is not None and _counts(before, absent, confines):
                        if case.reference not in (None, before.reference):
                            results.append(_with_reference(before, case))
                        continue
                    outcome = _attempt(name, absent, case, limits, confines, interrupt)
                    if outcome is None:
                        return False
                    row = _row(suite, case, name, limits, confines, outcome)
                    _keep_if_best(results, case, row, outcome)
                    results.append(row)
                    show(row, done, total)
    return True


def _counts(row: Row, absent: str | None, confines: Confines) -> bool:
    """Whether a run need not be done again: nothing that it lacked is there now."""
    if absent is not None:
        return True
    if row.status is Status.SKIPPED:
        return False
    if row.status is Status.MEMORY and row.memory_gb < confines.memory_gb:
        return False
    return row.version == _version(row.method)


def _runs_a_case(group: Group) -> int:
    timed = sum(method_named(name).timed for name in group.methods)
    return timed * len(group.seconds) + len(group.methods) - timed


def _attempt(
    name: str,
    absent: str | None,
    case: Case,
    limits: Limits,
    confines: Confines,
    interrupt: Interrupt,
) -> Outcome | None:
    """Run a method unless something is absent; None if interrupted."""
    if absent is not None:
        return Outcome(Status.SKIPPED, absent, None, 0.0, 0.0)
    return run(
        name,
        case.problem,
        limits,
        memory_gb=confines.memory_gb,
        most_seconds=confines.most_seconds,
        interrupt=interrupt,
    )


def _key(suite: str, case: Case, method: str, limits: Limits) -> Key:
    name = case.problem.name
    return Key(suite, case.set_name, name, method, limits.seed, limits.threads, limits.seconds)


def _row(
    suite: str, case: Case, method: str, limits: Limits, confines: Confines, outcome: Outcome
) -> Row:
    problem = case.problem
    cost = None if outcome.solution is None else float(outcome.solution.cost(problem))
    row = Row(
        suite=suite,
        set_name=case.set_name,
        instance=problem.name,
        problem=problem.kind,
        nodes=problem.num_nodes,
        method=method,
        seed=limits.seed,
        threads=limits.threads,
        memory_gb=confines.memory_gb,
        seconds_asked=limits.seconds,
        seconds_used=round(outcome.seconds, 3),
        status=outcome.status,
        message=outcome.message,
        cost=cost,
        reference=None,
        origin="",
        gap_percent=None,
        peak_mb=round(outcome.peak_mb, 1),
        growth_mb=round(outcome.growth_mb, 1),
        machine=_machine(),
        version=sil.__version__ if outcome.status is Status.SKIPPED else _version(method),
        date=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    return _with_reference(row, case)


def _with_reference(row: Row, case: Case) -> Row:
    """Add what its cost is measured against."""
    known = row.cost is not None and case.reference is not None
    gap = 100 * (row.cost / case.reference - 1) if known else None  # type: ignore[operator]
    return replace(row, reference=case.reference, origin=case.origin, gap_percent=gap)


def _keep_if_best(results: Results, case: Case, row: Row, outcome: Outcome) -> None:
    """Keep the best solution of each instance, for pictures and for later comparison."""
    costs = [
        other.cost
        for other in results.rows
        if other.instance == row.instance and other.set_name == row.set_name and other.cost
    ]
    if outcome.solution is None or row.cost is None or row.cost >= min(costs, default=float("inf")):
        return
    problem_file, solution_file = best_files(results.path.parent, row.set_name, row.instance)
    for path in (problem_file, solution_file):
        path.parent.mkdir(parents=True, exist_ok=True)
    write(problem_file, case.problem)
    write_solution(solution_file, outcome.solution, case.problem)


def best_files(folder: Path, set_name: str, instance: str) -> tuple[Path, Path]:
    """Name the files that keep an instance and its best solution."""
    return (
        folder / "instances" / set_name / f"{instance}.npz",
        folder / "solutions" / set_name / f"{instance}.npz",
    )


def _version(method: str) -> str:
    """Name this package, and what else has a part in the results of a method."""
    return f"{sil.__version__}, {method_named(method).version}"


def _machine() -> str:
    """Name the processor and count the cores."""
    name = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                name = line.partition(":")[2].strip()
                break
    return f"{name}, {available_threads()} cores"
