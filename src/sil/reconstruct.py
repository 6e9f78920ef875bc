"""Reconstructors: what rebuilds partial solutions, in the hope that they get shorter."""

from collections.abc import Callable
from typing import Protocol

from sil import _native
from sil._native import Interrupt
from sil.errors import InputError
from sil.problem import Problem
from sil.segments import SHORTEST, PartialSolutions


class Reconstructor(Protocol):
    """Rebuilds a batch of partial solutions between their fixed ends.

    Attributes
    ----------
    name
        Shown to people and written to results.
    longest
        The paper's l_max: longer partial solutions are not asked for.
    """

    name: str
    longest: int

    def reconstruct(
        self,
        problem: Problem,
        parts: PartialSolutions,
        seed: int,
        threads: int,
        interrupt: Interrupt,
    ) -> PartialSolutions:
        """Return the parts rebuilt; one that found nothing better may stay as it was.

        A reconstruction need not be shorter nor fit the capacity: the caller compares, and keeps
        the old one. When `interrupt` is set it returns soon, with what it has.
        """
        ...


class ExactReconstructor:
    """Finds the best order of short partial solutions by trying all of them.

    Parameters
    ----------
    longest
        At most 10: the time doubles and redoubles with each node.
    """

    name = "exact"

    def __init__(self, longest: int = 8) -> None:
        if not SHORTEST <= longest <= _native.MAX_EXACT_LENGTH:
            raise InputError(
                f"the longest partial solution is {longest}: an exhaustive search takes "
                f"{SHORTEST} to {_native.MAX_EXACT_LENGTH} nodes"
            )
        self.longest = longest

    def reconstruct(
        self,
        problem: Problem,
        parts: PartialSolutions,
        seed: int,
        threads: int,
        interrupt: Interrupt,
    ) -> PartialSolutions:
        """Return the best reconstruction there is; see `Reconstructor`."""
        del seed
        nodes = parts.nodes.copy()
        via_depot = None if parts.via_depot is None else parts.via_depot.copy()
        _native.reconstruct_exactly(
            problem.geometry,
            nodes,
            via_depot,
            parts.load_before,
            parts.load_after,
            problem.demand,
            problem.capacity or 0,
            threads,
            interrupt,
        )
        return parts.rebuilt(nodes, via_depot)


METHODS: dict[str, Callable[[], Reconstructor | None]] = {
    "exact": ExactReconstructor,
    "none": lambda: None,
}
