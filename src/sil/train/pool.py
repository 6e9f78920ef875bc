"""Instances and their best solutions so far: on disk, memory-mapped, never lost."""

import shutil
import tempfile
import zlib
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sil.errors import InputError
from sil.problem import Problem
from sil.solution import Solution, require_valid


class Pool:
    """Instances of one size with a solution each, for the present episode and the last one.

    An episode reads the solutions of the one before and writes its own to other rows. A row counts
    when its checksum is right, so that whatever interrupts the writing, either the new solution or
    the old one is there.

    Parameters
    ----------
    folder
        Where `create` has put it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            self._coords = np.load(folder / "coords.npy", mmap_mode="r")  # (m, nodes, 2)
            self._solutions = np.load(folder / "solutions.npy", mmap_mode="r+")  # (2, m)
        except (OSError, ValueError) as error:
            raise InputError(f"{folder}: cannot be read as a pool: {error}") from error

    @classmethod
    def create(cls, folder: Path, problems: Iterable[Problem]) -> "Pool":
        """Write the instances of a new pool; it is complete or not there."""
        listed = list(problems)
        size = listed[0].num_nodes
        row = np.dtype(
            [("episode", "<i4"), ("crc", "<u4"), ("cost", "<f8"), ("nodes", "<i4", (size,))]
        )
        empty = np.zeros((2, len(listed)), dtype=row)
        empty["episode"] = -1
        arrays = {"coords": np.stack([p.layout for p in listed]), "solutions": empty}
        if listed[0].demand is not None:
            arrays["demand"] = np.stack([p.demand for p in listed if p.demand is not None])
            arrays["capacity"] = np.array([p.capacity for p in listed])
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            scratch = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
            try:
                for name, array in arrays.items():
                    # Written out in full: a hole in a file fills the disk when it is too late.
                    np.save(scratch / f"{name}.npy", array)
                scratch.replace(folder)
            except BaseException:
                shutil.rmtree(scratch, ignore_errors=True)
                raise
        except OSError as error:
            reason = error.strerror or error
            raise InputError(f"{folder}: cannot be written: {reason}") from error
        return cls(folder)

    def __len__(self) -> int:
        return len(self._coords)

    @cached_property
    def _demand(self) -> NDArray[np.int64] | None:
        path = self._folder / "demand.npy"
        return np.load(path, mmap_mode="r") if path.exists() else None

    @cached_property
    def _capacity(self) -> NDArray[np.int64]:
        capacity: NDArray[np.int64] = np.load(self._folder / "capacity.npy")
        return capacity

    def problem(self, index: int) -> Problem:
        """Return an instance."""
        if self._demand is None:
            return Problem(self._coords[index])
        return Problem(self._coords[index], self._demand[index], int(self._capacity[index]))

    def has(self, index: int, episode: int) -> bool:
        """Whether the solution of this episode is there."""
        row = self._solutions[episode % 2, index]
        return bool(row["episode"] == episode and row["crc"] == _checksum(row))

    def solution(self, index: int, episode: int) -> Solution:
        """Return the solution of this episode."""
        if not self.has(index, episode):
            raise InputError(f"{self._folder}: instance {index} lacks its solution; is it damaged?")
        nodes = np.array(self._solutions[episode % 2, index]["nodes"])
        # Customers are counted from 1, so a minus can say that one is reached through the depot.
        return Solution(nodes) if self._demand is None else Solution(np.abs(nodes), nodes < 0)

    def put(self, index: int, episode: int, solution: Solution) -> None:
        """Store the solution of this episode."""
        problem = self.problem(index)
        require_valid(solution, problem)
        row = self._solutions[episode % 2, index]
        signed = solution.nodes
        if solution.via_depot is not None:
            signed = np.where(solution.via_depot, -signed, signed)
        row["episode"] = episode
        row["cost"] = solution.cost(problem)
        row["nodes"] = signed
        row["crc"] = _checksum(row)

    def mean_cost(self, episode: int, indices: NDArray[np.int64] | range) -> float:
        """Mean cost of some instances' solutions in this episode."""
        return float(np.mean(self._solutions["cost"][episode % 2][list(indices)]))


def _checksum(row: NDArray[np.void]) -> int:
    return zlib.crc32(row["nodes"].tobytes(), int(row["episode"]) & 0xFFFFFFFF) ^ zlib.crc32(
        row["cost"].tobytes()
    )
