"""The names of methods in benchmarks, such as ``PRC10@runs/mine/best.safetensors?1a2b3c4d``.

A name has up to four parts::

    PRC          the method
    10           number of rounds, for PRC only
    @FILE        weights to use instead of the shipped ones
    ?CHECKSUM    distinguishes two contents of the same file

Names are parsed and written here and nowhere else.
"""

import re
import zlib
from dataclasses import dataclass, replace
from pathlib import Path

from sil.errors import printable

PRC = "PRC"
_WITH_ROUNDS = re.compile(rf"{PRC}([1-9][0-9]{{0,8}})")


@dataclass(frozen=True)
class MethodName:
    """A method as a benchmark names it.

    Parameters
    ----------
    base
        The method without any options.
    rounds
        Number of rounds of PRC; None for other methods.
    weights
        Path of a weights file; empty for the shipped weights.
    checksum
        Checksum of the weights file; may be empty.
    """

    base: str
    rounds: int | None = None
    weights: str = ""
    checksum: str = ""

    @classmethod
    def parse(cls, text: str) -> "MethodName":
        """Split a name into its parts. Any text is accepted: the method need not exist."""
        plain, _, file = text.partition("@")
        weights, mark, checksum = file.rpartition("?")
        if not mark:
            weights, checksum = file, ""
        found = _WITH_ROUNDS.fullmatch(plain)
        if found is None:
            return cls(plain, None, weights, checksum)
        return cls(PRC, int(found[1]), weights, checksum)

    def __str__(self) -> str:
        if not self.weights:
            return self.plain
        # A mark in the path needs a second one behind it, even if no checksum follows.
        mark = "?" if self.checksum or "?" in self.weights else ""
        return f"{self.plain}@{self.weights}{mark}{self.checksum}"

    @property
    def plain(self) -> str:
        """The method and its rounds, without weights."""
        return self.base if self.rounds is None else f"{self.base}{self.rounds}"

    @property
    def title(self) -> str:
        """The name for tables and figures, with only the last parts of the path."""
        if not self.weights:
            return self.plain
        file = Path(self.weights)
        checksum = f" ({self.checksum})" if self.checksum else ""
        return f"{self.plain} with {file.parent.name}/{file.name}{checksum}"

    def using(self, file: Path) -> "MethodName":
        """Name the same method with the weights in a file, which must exist."""
        checksum = f"{zlib.crc32(file.read_bytes()):08x}"
        return replace(self, weights=str(file.resolve()), checksum=checksum)

    def without_rounds(self) -> "MethodName":
        """Name the method for any number of rounds."""
        return replace(self, rounds=None)

    def printable(self) -> "MethodName":
        """Escape whatever a path may contain that a terminal cannot show on one line."""
        return MethodName.parse(printable(str(self)))
