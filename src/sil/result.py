"""What `solve` returns."""

from dataclasses import dataclass

from sil.problem import Problem
from sil.solution import Solution
from sil.units import duration_text, format_cost, length_text


@dataclass(frozen=True)
class Progress:
    """The state of a run after a round; a result contains one per improvement.

    Parameters
    ----------
    iteration
        Number of rounds done; 0 for the initial solution.
    runtime
        Seconds since the beginning of `solve`.
    cost
        Best cost so far.
    """

    iteration: int
    runtime: float
    cost: int | float


@dataclass(frozen=True)
class Share:
    """The share of one reconstructor in a run.

    Parameters
    ----------
    name
        Name of the reconstructor.
    rounds
        Number of its rounds.
    seconds
        Time that its rounds took.
    gain
        By how much its rounds lowered the best cost.
    """

    name: str
    rounds: int
    seconds: float
    gain: float


@dataclass(frozen=True, repr=False)
class Result:
    """The best solution of a run and how it was found.

    Parameters
    ----------
    problem
        The problem.
    best
        The best solution found; it has passed the independent check, but may have more routes than
        there are vehicles.
    num_iterations
        Number of rounds done.
    runtime
        Seconds used.
    method
        Names of the reconstructors, joined by "+", or "none".
    start
        How the initial solution was constructed.
    seed
        Seed of all random choices.
    history
        The initial solution and every improvement.
    interrupted
        Whether Ctrl-C or a signal ended the run.
    shares
        The share of each reconstructor in the run.
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
        """Whether the best solution is valid: it always is, unless it needs too many vehicles."""
        return self.best.is_feasible(self.problem)

    def __repr__(self) -> str:
        return (
            f"<Result: cost {format_cost(self.cost())}, {self.problem!r}, {self.method}, "
            f"{self.num_iterations:,} rounds in {self.runtime:.2f} s>"
        )

    def summary(self) -> str:
        """Describe the result in a few lines."""
        first, cost = self.history[0].cost, self.cost()
        gain = f" ({100 * (1 - cost / first):.2f} % below the start)" if cost < first else ""
        return (
            f"instance    {self.problem.name}, {self.problem.kind} of "
            f"{self.problem.num_nodes:,} nodes\n"
            f"start       {self.start}, cost {length_text(self.problem, first)}\n"
            f"cost        {length_text(self.problem, cost)}{gain}\n"
            f"{self._routes()}"
            f"method      {self.method}, {self.num_iterations:,} rounds, seed {self.seed}\n"
            f"{self._shares()}"
            f"runtime     {self.runtime:.2f} s" + (", interrupted" if self.interrupted else "")
        )

    def _routes(self) -> str:
        """Say how many routes there are, and how full, long and late the fullest of them are."""
        problem, best = self.problem, self.best
        if problem.demand is None or problem.capacity is None:
            return ""
        full = int(problem.demand.sum()) / (best.num_routes * problem.capacity)
        parts = [f"{best.num_routes:,}", f"{100 * full:.1f} % full"]
        if problem.excess(best.num_routes):
            parts[0] += f", more than the {problem.max_vehicles:,} vehicles"
        parts.append(f"longest {length_text(problem, float(best.lengths(problem).max()))}")
        if problem.max_duration is not None:
            latest = duration_text(problem, float(best.durations(problem).max()))
            parts.append(f"{latest} of {duration_text(problem, problem.max_duration)}")
        return f"routes      {', '.join(parts)}\n"

    def _shares(self) -> str:
        if len(self.shares) < 2:
            return ""
        parts = (
            f"{share.name} {share.seconds:.1f} s, gained {format_cost(share.gain)}"
            for share in self.shares
        )
        return f"shares      {'; '.join(parts)}\n"
