"""Doing an experiment: what is missing in its folder, one run after the other."""

import math
import platform
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import sil
from sil._native import Interrupt
from sil.bench.confined import Outcome, run
from sil.bench.fingerprint import instance_sum
from sil.bench.method import Limits
from sil.bench.methods import method_named
from sil.bench.names import file_name
from sil.bench.results import Key, Results, Row, Status, percent_above
from sil.bench.sets import Case
from sil.bench.suites import Group
from sil.errors import InputError, SilError, printable
from sil.io import read, read_solution, write, write_solution
from sil.problem import Problem
from sil.threads import available_threads, require_threads

INSTANCE = "instance"  # of the version of a row, before its checksum
_LEAST_MEMORY, _MOST_MEMORY = 0.5, 1_000_000  # gigabytes


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

    def __post_init__(self) -> None:
        require_threads(self.threads)
        if not _LEAST_MEMORY <= self.memory_gb <= _MOST_MEMORY:  # also if it is no number
            raise InputError(
                f"the memory of a run is {_LEAST_MEMORY} to {_MOST_MEMORY:,} gigabytes, not "
                f"{self.memory_gb}"
            )
        if not 0 < self.most_seconds < math.inf:
            raise InputError(f"a run may take some seconds at most, not {self.most_seconds}")


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
    """Whether a run need not be done again: nothing has changed, or is there now."""
    if absent is not None:
        return True
    if row.status is Status.SKIPPED:
        return False
    if row.status is Status.MEMORY and row.memory_gb < confines.memory_gb:
        return False
    return row.version == _version(row.method, problem)


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
    # As rows have them.
    name, method = printable(case.problem.name), printable(method)
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
        version=(
            sil.__version__ if outcome.status is Status.SKIPPED else _version(method, problem)
        ),
        date=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    return _with_reference(row, case)


def _with_reference(row: Row, case: Case) -> Row:
    """Add what its cost is measured against."""
    gap = None
    if row.cost is not None and case.reference is not None:
        gap = percent_above(row.cost, case.reference)
    return replace(row, reference=case.reference, origin=case.origin, gap_percent=gap)


def _keep_if_best(folder: Path, case: Case, outcome: Outcome) -> None:
    """Keep the best solution of each instance, for pictures and for later comparison."""
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
            raise InputError(f"{path.parent}: cannot be made: {error.strerror}") from error
    write(problem_file, problem)
    write_solution(solution_file, solution, problem)


def _cost_of_kept(problem: Problem, problem_file: Path, solution_file: Path) -> float:
    """Cost of the solution that is kept; infinite if there is none of this very instance."""
    try:
        if instance_sum(read(problem_file)) != instance_sum(problem):
            return math.inf
        kept = read_solution(solution_file)
        return math.inf if kept.check(problem) else float(kept.cost(problem))
    except SilError:
        return math.inf


def best_files(folder: Path, set_name: str, instance: str) -> tuple[Path, Path]:
    """Name the files that keep an instance and its best solution."""
    below = Path(file_name(set_name)) / f"{file_name(instance)}.npz"
    return folder / "instances" / below, folder / "solutions" / below


def _version(method: str, problem: Problem) -> str:
    """Name this package, the instance, and what else has a part in the results of a method."""
    own = method_named(method).version
    return f"{sil.__version__}, {own}, {INSTANCE} {instance_sum(problem)}"


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
