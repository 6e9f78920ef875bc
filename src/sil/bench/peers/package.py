"""Solvers that are Python packages."""

import importlib
from typing import ClassVar

from sil.bench.fingerprint import adapter_code
from sil.bench.packages import missing_package, package_version
from sil.problem import Problem


class PackagePeer:
    """Base of these solvers.

    Attributes
    ----------
    name
        The name in results.
    package
        The package to import.
    kinds
        The kinds of problems that it solves.
    """

    name: str
    package: ClassVar[str]
    kinds: ClassVar[tuple[str, ...]] = ("TSP", "CVRP")
    timed = True

    @property
    def version(self) -> str:
        """The version of the package and our code that calls it."""
        return f"{package_version(self.package)} (called by {adapter_code(type(self))})"

    def missing(self, problem: Problem) -> str | None:
        """Return the reason if the package is missing or does not solve this kind of problem."""
        if problem.kind not in self.kinds:
            return f"it solves {self.kinds[0]} only"
        return missing_package(self.package)

    def prepare(self) -> None:
        """Import the package."""
        importlib.import_module(self.package)
