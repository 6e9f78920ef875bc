"""Solvers that come as Python packages."""

import importlib
from typing import ClassVar

from sil.bench.fingerprint import adapter_code
from sil.bench.method import missing_package, package_version
from sil.problem import Problem


class PackagePeer:
    """What they have in common.

    Attributes
    ----------
    name
        In results.
    package
        To be imported.
    kinds
        The problems that it solves.
    """

    name: str
    package: ClassVar[str]
    kinds: ClassVar[tuple[str, ...]] = ("TSP", "CVRP")
    timed = True

    @property
    def version(self) -> str:
        """That of the package, and how we call it."""
        return f"{package_version(self.package)} (called by {adapter_code(type(self))})"

    def missing(self, problem: Problem) -> str | None:
        """Tell whether the package is, or whether the problem is another one."""
        if problem.kind not in self.kinds:
            return f"it solves {self.kinds[0]} only"
        return missing_package(self.package)

    def prepare(self) -> None:
        """Import the package."""
        importlib.import_module(self.package)
