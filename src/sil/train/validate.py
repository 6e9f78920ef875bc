"""How good labels and policy are, compared with solutions of long native searches."""

from sil._native import Interrupt
from sil.construct import construct
from sil.policy.engine import PolicyEngine
from sil.problem import Problem
from sil.solution import Solution
from sil.train.improve import improved
from sil.train.pool import Pool
from sil.train.workers import Workers

_REFERENCE_ROUNDS = {"TSP": 20, "CVRP": 300}  # a few seconds at 1,000 nodes
PRC_ROUNDS = 10


def to_validate_on(unseen: list[Problem], labels: Pool) -> list[Problem]:
    """Choose the instances of a `Validation`: unseen ones, and as many of those with labels."""
    sample = range(min(len(unseen), len(labels)))
    return unseen + [labels.problem(index) for index in sample]


class Validation:
    """A fixed set of instances that are not trained on, and a sample of those that are.

    References only serve to measure: no label comes from them.

    Parameters
    ----------
    references
        The instances that `to_validate_on` has chosen, with their references.
    num_unseen
        How many of them are not trained on.
    longest
        The paper's l_max.
    labels
        The pool of the stage; its first instances are the sample.
    workers
        They share the work.
    """

    def __init__(
        self, references: Pool, num_unseen: int, longest: int, labels: Pool, workers: Workers
    ) -> None:
        self._references, self._longest = references, longest
        self._labels, self._workers = labels, workers
        self._unseen = range(num_unseen)
        self._sample = range(len(references) - num_unseen)

    def find_references(self) -> None:
        """Solve the instances that have no reference yet; all processes must come here."""

        def reference(index: int) -> Solution:
            problem = self._references.problem(index)
            start = construct(problem, "greedy" if problem.kind == "TSP" else "savings")
            rounds = {"search": _REFERENCE_ROUNDS[problem.kind]}
            interrupt = self._workers.interrupt
            return improved(problem, start, rounds, None, self._longest, 0, interrupt)

        self._workers.fill(self._references, 0, reference, "references for validation")

    def label_gap(self, episode: int) -> float:
        """Return the gap of the labels in percent."""
        sample = range(len(self._unseen), len(self._unseen) + len(self._sample))
        found = self._labels.mean_cost(episode, self._sample)
        return 100 * (found / self._references.mean_cost(0, sample) - 1)

    def policy_gaps(self, policy: PolicyEngine) -> tuple[float, float]:
        """Measure the gaps of the policy in percent; all processes must come here.

        Returns
        -------
        The gap of greedy construction, and the gap after ten rounds from random insertion.
        """

        def costs(index: int) -> tuple[float, float]:
            problem = self._references.problem(index)
            greedy = policy.construct(problem, index, Interrupt(self._workers.interrupt))
            start = construct(problem, "insertion", index)
            rebuilt = improved(
                problem,
                start,
                {"policy": PRC_ROUNDS},
                policy,
                self._longest,
                index,
                self._workers.interrupt,
                whole_first=True,  # as in use
            )
            return greedy.cost(problem), rebuilt.cost(problem)

        processes = self._workers.processes
        found = self._workers.each(costs, processes.share(self._unseen), "validating")
        greedy, rebuilt = processes.total(
            sum(cost for cost, _ in found), sum(cost for _, cost in found)
        )
        reference = self._references.mean_cost(0, self._unseen) * len(self._unseen)
        return 100 * (greedy / reference - 1), 100 * (rebuilt / reference - 1)
