"""One run of a benchmark as a row of its table."""

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple

from sil.bench.method_name import MethodName
from sil.errors import printable


class Status(StrEnum):
    """How a run ended; only OK has a cost."""

    OK = "ok"
    TIMEOUT = "timeout"  # no answer in time, killed
    MEMORY = "memory"  # exceeded the memory limit
    CRASH = "crash"
    INVALID = "invalid"  # an answer that fails the check
    SKIPPED = "skipped"  # not installed, or does not solve this kind of problem


class Key(NamedTuple):
    """Identifies a run: two rows with equal keys are results of the same run."""

    suite: str
    set_name: str
    instance: str
    method: MethodName
    seed: int
    threads: int
    seconds_asked: float


@dataclass(frozen=True)
class Row:
    """One run. The fields are the columns of ``results.csv``, in this order.

    Parameters
    ----------
    suite
        The experiment that the run belongs to.
    set_name
        The set that the instance belongs to.
    instance
        Name of the instance.
    problem
        TSP or CVRP.
    nodes
        Number of nodes, without the depot.
    method
        The method that was run.
    seed
        Seed given to the method.
    threads
        Number of threads that the method could use.
    memory_gb
        Limit on the address space, in gigabytes.
    seconds_asked
        Time limit; 0 if the method has none.
    seconds_used
        Time used by the method, without starting Python and reading the instance.
    status
        How the run ended.
    message
        Why there is no cost.
    cost
        Cost of the solution, computed by us.
    reference
        The cost that gaps are measured against.
    origin
        Where the reference comes from.
    gap_percent
        How far the cost is above the reference; infinite if the reference is 0.
    peak_mb
        Peak resident memory of the process.
    growth_mb
        The part of the peak that came after importing and reading.
    machine
        Processor and number of cores.
    version
        Version of this package, of the weights or the solver, and of the instance.
    date
        When the run ended, in UTC.
    """

    suite: str
    set_name: str
    instance: str
    problem: str
    nodes: int
    method: MethodName
    seed: int
    threads: int
    memory_gb: float
    seconds_asked: float
    seconds_used: float
    status: Status
    message: str
    cost: float | None
    reference: float | None
    origin: str
    gap_percent: float | None
    peak_mb: float
    growth_mb: float
    machine: str
    version: str
    date: str

    def __post_init__(self) -> None:
        amounts = {
            "memory_gb": self.memory_gb,
            "seconds_asked": self.seconds_asked,
            "seconds_used": self.seconds_used,
            "cost": self.cost,
            "reference": self.reference,
            "peak_mb": self.peak_mb,
            "growth_mb": self.growth_mb,
        }
        for name, value in amounts.items():
            if value is not None and not 0 <= value < math.inf:
                raise ValueError(f"{name} is {value}: it must be finite and at least 0")

    @property
    def key(self) -> Key:
        """What identifies the run."""
        return Key(
            self.suite,
            self.set_name,
            self.instance,
            self.method,
            self.seed,
            self.threads,
            self.seconds_asked,
        )

    def in_one_line(self) -> "Row":
        """Escape line breaks and control characters in all texts."""
        row = replace(self, message=" ".join(self.message.split()), method=self.method.printable())
        texts: dict[str, Any] = {
            name: printable(value) for name, value in vars(row).items() if type(value) is str
        }
        return replace(row, **texts)


def percent_above(cost: float, reference: float) -> float:
    """How far a cost is above a reference, which is 0 if all nodes coincide."""
    if reference == 0:
        return 0.0 if cost == 0 else math.inf
    return 100 * (cost / reference - 1)
