"""Instances and their best solutions so far: on disk, memory-mapped, never lost."""

import zlib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sil.errors import InputError
from sil.io.atomic import flush, flush_names
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
            # To be written to, a file that is too short would be made longer: "r" refuses it.
            np.load(folder / "solutions.npy", mmap_mode="r")
            self._solutions = np.load(folder / "solutions.npy", mmap_mode="r+")  # (2, m)
            self._demand = self._capacity = None
            if (folder / "demand.npy").exists():
                self._demand = np.load(folder / "demand.npy", mmap_mode="r")  # (m, 1 + nodes)
                self._capacity = np.load(folder / "capacity.npy")  # (m,)
        except Exception as error:  # numpy raises all sorts on a damaged header
            raise InputError(f"{folder}: cannot be read as a pool: {error}") from error
        self._require_shapes()

    def _require_shapes(self) -> None:
        """Find out that a file is another than it should be before it is believed."""
        found = [self._coords.shape, self._coords.dtype]
        found += [self._solutions.shape, self._solutions.dtype]
        count, nodes = found[0][:2] if len(found[0]) == 3 else (0, 0)
        expected = [(count, nodes, 2), np.float64]
        if self._demand is None or self._capacity is None:
            expected += [(2, count), _row_type(nodes)]
        else:
            found += [self._demand.shape, self._demand.dtype, self._capacity.shape]
            expected += [(2, count), _row_type(nodes - 1), (count, nodes), np.int64, (count,)]
        if count == 0 or found != expected:
            raise InputError(f"{self._folder}: cannot be read as a pool: its files do not fit")

    @classmethod
    def create(cls, folder: Path, problems: Iterable[Problem], scratch: Path) -> "Pool":
        """Write the instances of a new pool; it is complete or not there.

        Parameters
        ----------
        folder
            Made for it.
        problems
            The instances, all of one size and kind.
        scratch
            A folder on the same disk in which to begin. What a killed attempt has left there is
            written over; nothing else in it is touched.
        """
        listed = list(problems)
        empty = np.zeros((2, len(listed)), dtype=_row_type(listed[0].num_nodes))
        empty["episode"] = -1
        arrays = {"coords": np.stack([p.layout for p in listed]), "solutions": empty}
        if listed[0].demand is not None:
            arrays["demand"] = np.stack([p.demand for p in listed if p.demand is not None])
            arrays["capacity"] = np.array([p.capacity for p in listed])
        try:
            _write(arrays, scratch / "pool", folder)
        except OSError as error:
            reason = error.strerror or error
            raise InputError(f"{folder}: cannot be written: {reason}") from error
        finally:
            with suppress(OSError):
                scratch.rmdir()  # unless it holds anything
        return cls(folder)

    def __len__(self) -> int:
        return len(self._coords)

    def problem(self, index: int) -> Problem:
        """Return an instance."""
        if self._demand is None or self._capacity is None:
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

    def flush(self) -> None:
        """Wait until all that was put is on the disk, before a checkpoint relies on it."""
        try:
            self._solutions.flush()
        except OSError as error:
            reason = error.strerror or error
            raise InputError(f"{self._folder}: cannot be written: {reason}") from error

    def mean_cost(self, episode: int, indices: NDArray[np.int64] | range) -> float:
        """Mean cost of some instances' solutions in this episode."""
        return float(np.mean(self._solutions["cost"][episode % 2][list(indices)]))


def _row_type(nodes: int) -> np.dtype[np.void]:
    return np.dtype(
        [("episode", "<i4"), ("crc", "<u4"), ("cost", "<f8"), ("nodes", "<i4", (max(0, nodes),))]
    )


def _write(arrays: dict[str, NDArray[Any]], scratch: Path, folder: Path) -> None:
    """Write the files of a pool to scratch, and move them to where they belong when all are there.

    Each step is on the disk before the next one relies on it.
    """
    scratch.mkdir(parents=True, exist_ok=True)
    paths = {name: scratch / f"{name}.npy" for name in arrays}
    try:
        for name, path in paths.items():
            # Written out in full: a hole in a file fills the disk when it is too late.
            np.save(path, arrays[name])
            flush(path)
        flush_names(scratch)
        folder.parent.mkdir(parents=True, exist_ok=True)
        scratch.replace(folder)
        for above in (folder.parent, folder.parent.parent):
            flush_names(above)
    except BaseException:
        with suppress(OSError):
            for path in paths.values():
                path.unlink(missing_ok=True)
            scratch.rmdir()
        raise


def _checksum(row: NDArray[np.void]) -> int:
    return zlib.crc32(row["nodes"].tobytes(), int(row["episode"]) & 0xFFFFFFFF) ^ zlib.crc32(
        row["cost"].tobytes()
    )
