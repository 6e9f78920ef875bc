"""How good labels and policy are, against solutions that the native search finds in long runs."""

from pathlib import Path

from sil._native import Interrupt
from sil.construct import construct
from sil.policy.native import NativePolicy
from sil.problem import Problem
from sil.train.config import Stage
from sil.train.improve import improved, side_by_side
from sil.train.pool import Pool
from sil.train.processes import Processes

_REFERENCE_ROUNDS = {"TSP": 20, "CVRP": 300}  # a few seconds at 1,000 nodes
PRC_ROUNDS = 10


class Validation:
    """A fixed set of instances that are not trained on, and a sample of those that are.

    References are for measuring only: no label comes from them.

    Parameters
    ----------
    folder
        Where `create` has put them.
    stage
        The stage.
    labels
        Its pool, the first instances of which are the sample.
    processes
        They share the work.
    """

    def __init__(self, folder: Path, stage: Stage, labels: Pool, processes: Processes) -> None:
        self._references = Pool(folder)
        self._labels, self._processes = labels, processes
        self._longest = stage.longest
        self._unseen = range(stage.validation)
        self._sample = range(len(self._references) - stage.validation)

    @staticmethod
    def create(folder: Path, unseen: list[Problem], labels: Pool, scratch: Path) -> None:
        """Choose the instances; see `Pool.create`."""
        sample = range(min(len(unseen), len(labels)))
        Pool.create(folder, unseen + [labels.problem(index) for index in sample], scratch)

    def find_references(self, threads: int, interrupt: Interrupt) -> None:
        """Solve the instances, those that are not yet."""

        def find(index: int) -> None:
            if self._references.has(index, 0):
                return
            problem = self._references.problem(index)
            start = construct(problem, "greedy" if problem.kind == "TSP" else "savings")
            rounds = {"search": _REFERENCE_ROUNDS[problem.kind]}
            found = improved(problem, start, rounds, None, self._longest, 0, interrupt)
            self._references.put(index, 0, found)

        mine = self._processes.share(range(len(self._references)))
        side_by_side(find, mine, threads, interrupt)
        self._references.flush()

    def label_gap(self, episode: int) -> float:
        """Gap of the labels in percent."""
        sample = range(len(self._unseen), len(self._unseen) + len(self._sample))
        found = self._labels.mean_cost(episode, self._sample)
        return 100 * (found / self._references.mean_cost(0, sample) - 1)

    def policy_costs(
        self, policy: NativePolicy, threads: int, interrupt: Interrupt
    ) -> tuple[float, float]:
        """Add up the costs of this process's share of the instances.

        Returns
        -------
        Those of greedy construction, and those after ten rounds from random insertion.
        """

        def costs(index: int) -> tuple[float, float]:
            problem = self._references.problem(index)
            greedy = policy.construct(problem, index, Interrupt(interrupt))
            start = construct(problem, "insertion", index)
            rounds = {"policy": PRC_ROUNDS}
            rebuilt = improved(
                problem,
                start,
                rounds,
                policy,
                self._longest,
                index,
                interrupt,
                whole_first=True,  # as it will be used
            )
            return greedy.cost(problem), rebuilt.cost(problem)

        found = side_by_side(costs, self._processes.share(self._unseen), threads, interrupt)
        return sum(greedy for greedy, _ in found), sum(rebuilt for _, rebuilt in found)

    def policy_gaps(self, costs: tuple[float, float]) -> tuple[float, float]:
        """Turn such sums into gaps in percent; all processes must come here."""
        reference = self._references.mean_cost(0, self._unseen) * len(self._unseen)
        greedy, rebuilt = self._processes.total(*costs)
        return 100 * (greedy / reference - 1), 100 * (rebuilt / reference - 1)
