"""Run a suite: all runs whose results are missing in its folder, one after the other."""

import math
import platform
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import sil
from sil._native import Interrupt
from sil.bench.escape import file_name
from sil.bench.fingerprint import instance_sum, run_version
from sil.bench.isolated_run import Outcome, run
from sil.bench.method_name import MethodName
from sil.bench.registry import solver_named
from sil.bench.results import Results
from sil.bench.row import Key, Row, Status, percent_above
from sil.bench.sets import Case
from sil.bench.solver import Limits
from sil.bench.suites import Group
from sil.errors import InputError, SilError, printable
from sil.io import read, read_solution, write, write_solution
from sil.problem import Problem
from sil.threads import available_threads, require_threads

_LEAST_MEMORY, _MOST_MEMORY = 0.5, 1_000_000  # gigabytes


@dataclass(frozen=True)
class Confines:
    """Limits that apply to every run.

    Parameters
    ----------
    threads
        Number of cores and threads.
    memory_gb
        Limit on the address space, in gigabytes.
    most_seconds
        Time after which a method without a time limit is killed.
    """

    threads: int
    memory_gb: float = 16.0
    most_seconds: float = 3600.0

    def __post_init__(self) -> None:
        require_threads(self.threads)
        if not _LEAST_MEMORY <= self.memory_gb <= _MOST_MEMORY:  # NaN, too
            raise InputError(
                f"the memory limit is {self.memory_gb}: it must be {_LEAST_MEMORY} to "
                f"{_MOST_MEMORY:,} gigabytes"
            )
        if not 0 < self.most_seconds < math.inf:
            raise InputError(
                f"the longest time of a run is {self.most_seconds}: it must be finite and above 0"
            )


def run_suite(
    suite: str,
    groups: list[Group],
    folder: Path,
    confines: Confines,
    show: Callable[[Row, int, int], None],
    interrupt: Interrupt,
) -> bool:
    """Run what is missing of a suite; return whether it is complete.

    Parameters
    ----------
    suite
        Name of the suite.
    groups
        What it runs.
    folder
        Contains ``results.csv``, the instances and the best solution of each.
    confines
        Limits of every run.
    show
        Called with each new row, the number of runs done and the total number of runs.
    interrupt
        When set, the current run is abandoned.
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
    total = sum(group.count * _runs_per_case(group) for group in groups)
    done = 0
    for group in groups:
        for case in group.cases:
            for name in group.methods:
                for seconds in group.seconds if solver_named(name).timed else (0.0,):
                    if interrupt.is_set():
                        return False
                    done += 1
                    limits = Limits(seconds, confines.threads, seed=0)
                    absent = solver_named(name).missing(case.problem)
                    before = results.find(_key(suite, case, name, limits))
                    if before is not None and _counts(before, absent, confines, case.problem):
                        after = _with_reference(before, case)
                        if case.reference is not None and after != before:
                            results.append(after)
                        continue
                    outcome = _attempt(name, absent, case, limits, confines, interrupt)
                    if outcome is None:
                        return False
                    row = _row(suite, case, name, limits, confines, outcome).in_one_line()
                    _keep_if_best(results.path.parent, case, outcome)
                    results.append(row)
                    show(row, done, total)
    return True


def _counts(row: Row, absent: str | None, confines: Confines, problem: Problem) -> bool:
    """Whether a row is still valid, so that its run need not be repeated."""
    if absent is not None:
        return True
    if row.status is Status.SKIPPED:
        return False
    if row.status is Status.MEMORY and row.memory_gb < confines.memory_gb:
        return False
    return row.version == run_version(solver_named(row.method).version, problem)


def _runs_per_case(group: Group) -> int:
    timed = sum(solver_named(name).timed for name in group.methods)
    return timed * len(group.seconds) + len(group.methods) - timed


def _attempt(
    name: MethodName,
    absent: str | None,
    case: Case,
    limits: Limits,
    confines: Confines,
    interrupt: Interrupt,
) -> Outcome | None:
    """Run a method, unless something it needs is absent; None if interrupted."""
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


def _key(suite: str, case: Case, method: MethodName, limits: Limits) -> Key:
    return Key(
        suite,
        case.set_name,
        printable(case.problem.name),
        method.printable(),
        limits.seed,
        limits.threads,
        limits.seconds,
    )


def _row(
    suite: str,
    case: Case,
    method: MethodName,
    limits: Limits,
    confines: Confines,
    outcome: Outcome,
) -> Row:
    problem = case.problem
    version = sil.__version__
    if outcome.status is not Status.SKIPPED:
        version = run_version(solver_named(method).version, problem)
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
        version=version,
        date=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    return _with_reference(row, case)


def _with_reference(row: Row, case: Case) -> Row:
    """Add the reference of the instance and the gap to it."""
    gap = None
    if row.cost is not None and case.reference is not None:
        gap = percent_above(row.cost, case.reference)
    return replace(row, reference=case.reference, origin=case.origin, gap_percent=gap)


def _keep_if_best(folder: Path, case: Case, outcome: Outcome) -> None:
    """Keep the best solution of each instance, for pictures and later comparisons."""
    problem, solution = case.problem, outcome.solution
    problem_file, solution_file = best_files(folder, case.set_name, printable(problem.name))
    if solution is None or solution.cost(problem) >= _cost_of_kept(
        problem, problem_file, solution_file
    ):
        return
    for path in (problem_file, solution_file):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{path.parent}: cannot be created: {error.strerror}") from error
    write(problem_file, problem)
    write_solution(solution_file, solution, problem)


def _cost_of_kept(problem: Problem, problem_file: Path, solution_file: Path) -> float:
    """Cost of the solution kept so far; infinite if there is none of this exact instance."""
    try:
        if instance_sum(read(problem_file)) != instance_sum(problem):
            return math.inf
        kept = read_solution(solution_file)
        return math.inf if kept.check(problem) else float(kept.cost(problem))
    except SilError:
        return math.inf


def best_files(folder: Path, set_name: str, instance: str) -> tuple[Path, Path]:
    """Return the files of an instance and of its best solution."""
    below = Path(file_name(set_name)) / f"{file_name(instance)}.npz"
    return folder / "instances" / below, folder / "solutions" / below


def _machine() -> str:
    """Name the processor and the number of cores."""
    name = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                name = line.partition(":")[2].strip()
                break
    return f"{name}, {available_threads()} cores"
