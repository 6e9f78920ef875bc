"""The exhaustive reconstructor: finds the best order of short runs of nodes."""

from sil import _native
from sil._native import Interrupt
from sil.errors import InputError
from sil.partial import PartialSolutions
from sil.problem import Problem
from sil.reconstruct.cut import SHORTEST
from sil.reconstruct.segments import SegmentReconstructor


class ExactReconstructor(SegmentReconstructor):
    """Finds the best order of short partial solutions by trying all orders.

    Parameters
    ----------
    longest
        l_max, at most 10: the time grows exponentially with it.
    """

    name = "exact"

    def __init__(self, longest: int = 8) -> None:
        if not SHORTEST <= longest <= _native.MAX_EXACT_LENGTH:
            raise InputError(
                f"l_max is {longest}: an exhaustive search allows {SHORTEST} to "
                f"{_native.MAX_EXACT_LENGTH} nodes"
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
        """Return the best reconstruction of each part; see `SegmentReconstructor`."""
        del seed
        rebuilt = parts.copy()
        _native.reconstruct_exactly(problem.instance, rebuilt.native(), threads, interrupt)
        return rebuilt
