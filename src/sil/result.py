"""What `solve` returns."""

from dataclasses import dataclass

from sil.problem import Problem
from sil.solution import Solution


@dataclass(frozen=True)
class Progress:
    """Where a run stands after a round; a result keeps one for each improvement.

    Parameters
    ----------
    iteration
        Rounds done; 0 is the start.
    runtime
        Seconds since `solve` began.
    cost
        Best cost so far.
    """

    iteration: int
    runtime: float
    cost: int | float


@dataclass(frozen=True)
class Share:
    """What one reconstructor had of a run, and what it gave.

    Parameters
    ----------
    name
        Of the reconstructor.
    rounds
        That it did.
    seconds
        That they took.
    gain
        By how much they lowered the best cost.
    """

    name: str
    rounds: int
    seconds: float
    gain: float


@dataclass(frozen=True)
class Result:
    """The best solution of a run and how it came about.

    Parameters
    ----------
    problem
        What was solved.
    best
        The best solution found; it has passed the independent check.
    num_iterations
        Rounds done.
    runtime
        Seconds used.
    method
        The reconstructors that shared the rounds, joined by "+", or "none".
    start
        Where the first solution came from.
    seed
        Of all random choices.
    history
        The start and every improvement.
    interrupted
        Whether Ctrl-C or a signal ended the run.
    shares
        What each reconstructor had of the time and gave.
    """

    problem: Problem
    best: Solution
    num_iterations: int
    runtime: float
    method: str
    start: str
    seed: int
    history: tuple[Progress, ...]
    interrupted: bool
    shares: tuple[Share, ...] = ()

    def cost(self) -> int | float:
        """Cost of the best solution."""
        return self.best.cost(self.problem)

    def is_feasible(self) -> bool:
        """Whether the best solution is valid; it always is."""
        return self.best.is_feasible(self.problem)

    def summary(self) -> str:
        """Return a few lines for people."""
        first, cost = self.history[0].cost, self.cost()
        gain = f" ({100 * (1 - cost / first):.2f} % below the start)" if cost < first else ""
        routes = f"\nroutes      {self.best.num_routes:,}" if self.problem.kind == "CVRP" else ""
        return (
            f"instance    {self.problem.name}, {self.problem.kind} of "
            f"{self.problem.num_nodes:,} nodes\n"
            f"start       {self.start}, cost {format_cost(first)}\n"
            f"cost        {format_cost(cost)}{gain}{routes}\n"
            f"method      {self.method}, {self.num_iterations:,} rounds, seed {self.seed}\n"
            f"{self._shares()}"
            f"runtime     {self.runtime:.2f} s" + (", interrupted" if self.interrupted else "")
        )

    def _shares(self) -> str:
        if len(self.shares) < 2:
            return ""
        parts = (
            f"{share.name} {share.seconds:.1f} s, gained {format_cost(share.gain)}"
            for share in self.shares
        )
        return f"shares      {'; '.join(parts)}\n"


def format_cost(cost: int | float) -> str:
    """Write a cost for people: whole numbers with separators, others with six digits or more."""
    return f"{cost:,}" if isinstance(cost, int) else f"{cost:,.4f}"
