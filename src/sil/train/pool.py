"""Instances and their best solutions so far, memory-mapped from disk and safe against crashes."""

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
    """Instances with a solution each for the present episode and for the one before.

    An episode reads the solutions of the one before and writes its own to other rows. A row counts
    if its checksum is right. So whatever interrupts the writing, one of the two solutions is there.

    Instances of different sizes are padded to the largest.

    Parameters
    ----------
    folder
        Where `create` has written it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            self._coords = np.load(folder / "coords.npy", mmap_mode="r")  # (m, nodes, 2)
            # Mode "r+" would extend a file that is too short; mode "r" refuses it.
            np.load(folder / "solutions.npy", mmap_mode="r")
            self._solutions = np.load(folder / "solutions.npy", mmap_mode="r+")  # (2, m)
            self._demand = self._capacity = None
            if (folder / "demand.npy").exists():
                self._demand = np.load(folder / "demand.npy", mmap_mode="r")  # (m, 1 + nodes)
                self._capacity = np.load(folder / "capacity.npy")  # (m,)
            self._sizes = None  # all instances are as large as the arrays
            if (folder / "sizes.npy").exists():
                self._sizes = np.load(folder / "sizes.npy")  # (m,), depots included
        except Exception as error:  # a damaged header makes numpy raise anything
            raise InputError(f"{folder}: cannot be read as a pool: {error}") from error
        self._require_shapes()

    def _require_shapes(self) -> None:
        """Raise an error if the files do not belong together."""
        found = [self._coords.shape, self._coords.dtype]
        found += [self._solutions.shape, self._solutions.dtype]
        count, nodes = found[0][:2] if len(found[0]) == 3 else (0, 0)
        expected = [(count, nodes, 2), np.float64]
        if self._demand is None or self._capacity is None:
            expected += [(2, count), _row_type(nodes)]
        else:
            found += [self._demand.shape, self._demand.dtype, self._capacity.shape]
            expected += [(2, count), _row_type(nodes - 1), (count, nodes), np.int64, (count,)]
        if self._sizes is not None:
            found += [self._sizes.shape, self._sizes.dtype]
            expected += [(count,), np.int64]
        if count == 0 or found != expected or not self._sizes_fit():
            raise InputError(
                f"{self._folder}: cannot be read as a pool: its files do not belong together"
            )

    def _sizes_fit(self) -> bool:
        sizes = self._sizes
        return sizes is None or bool(((sizes >= 1) & (sizes <= self.dimension)).all())

    @classmethod
    def create(cls, folder: Path, problems: Iterable[Problem], scratch: Path) -> "Pool":
        """Write the instances of a new pool; a failure leaves nothing behind.

        Parameters
        ----------
        folder
            Created.
        problems
            The instances, all TSP or all CVRP. Distances are Euclidean.
        scratch
            A folder on the same disk to write to first. What a killed attempt left there is
            overwritten; nothing else in it is touched.
        """
        listed = list(problems)
        solutions = np.zeros((2, len(listed)), dtype=_row_type(max(p.num_nodes for p in listed)))
        solutions["episode"] = -1
        arrays = {"coords": _padded([p.layout for p in listed]), "solutions": solutions}
        demands = [p.demand for p in listed if p.demand is not None]
        if demands:
            arrays["demand"] = _padded(demands)
            arrays["capacity"] = np.array([p.capacity for p in listed])
        sizes = np.array([p.dimension for p in listed])
        if (sizes != sizes[0]).any():
            arrays["sizes"] = sizes
        try:
            _write(arrays, scratch / "pool", folder)
        except OSError as error:
            reason = error.strerror or error
            raise InputError(f"{folder}: cannot be written: {reason}") from error
        finally:
            with suppress(OSError):
                scratch.rmdir()  # if it is empty
        return cls(folder)

    def __len__(self) -> int:
        return len(self._coords)

    @property
    def dimension(self) -> int:
        """Number of locations of the largest instance, including the depot."""
        return int(self._coords.shape[1])

    def problem(self, index: int) -> Problem:
        """Return an instance."""
        size = self._size(index)
        coords = self._coords[index, :size]
        if self._demand is None or self._capacity is None:
            return Problem(coords)
        return Problem(coords, self._demand[index, :size], int(self._capacity[index]))

    def has(self, index: int, episode: int) -> bool:
        """Return whether the solution of this episode is there."""
        row = self._solutions[episode % 2, index]
        return bool(row["episode"] == episode and row["crc"] == _checksum(row))

    def solution(self, index: int, episode: int) -> Solution:
        """Return the solution of this episode."""
        if not self.has(index, episode):
            raise InputError(f"{self._folder}: instance {index} lacks its solution; is it damaged?")
        count = self._size(index) - (self._demand is not None)
        nodes = np.array(self._solutions[episode % 2, index]["nodes"][:count])
        # Customers are numbered from 1, so a negative one can mean: reached through the depot.
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
        row["nodes"][: len(signed)] = signed
        row["crc"] = _checksum(row)

    def flush(self) -> None:
        """Wait until everything stored is on disk, before a checkpoint relies on it."""
        try:
            self._solutions.flush()
        except OSError as error:
            reason = error.strerror or error
            raise InputError(f"{self._folder}: cannot be written: {reason}") from error

    def mean_cost(self, episode: int, indices: NDArray[np.int64] | range) -> float:
        """Return the mean cost of the solutions of some instances in this episode."""
        return float(np.mean(self._solutions["cost"][episode % 2][list(indices)]))

    def _size(self, index: int) -> int:
        return self.dimension if self._sizes is None else int(self._sizes[index])


def _row_type(nodes: int) -> np.dtype[np.void]:
    return np.dtype(
        [("episode", "<i4"), ("crc", "<u4"), ("cost", "<f8"), ("nodes", "<i4", (max(0, nodes),))]
    )


def _padded(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    """Stack arrays of different lengths, with zeros after the shorter ones."""
    length = max(map(len, arrays))
    padded = np.zeros((len(arrays), length, *arrays[0].shape[1:]), dtype=arrays[0].dtype)
    for row, array in zip(padded, arrays, strict=True):
        row[: len(array)] = array
    return padded


def _write(arrays: dict[str, NDArray[Any]], scratch: Path, folder: Path) -> None:
    """Write the files of a pool to scratch, and move them into place when they are complete.

    Each step is on disk before the next one relies on it.
    """
    scratch.mkdir(parents=True, exist_ok=True)
    paths = {name: scratch / f"{name}.npy" for name in arrays}
    try:
        for name, path in paths.items():
            # Written in full: a sparse file would fill the disk only later.
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
