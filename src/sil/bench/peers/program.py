"""Programs that the user provides; they read TSPLIB or VRPLIB files with integer coordinates."""

import os
import shutil
import subprocess
import tempfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ClassVar

from sil import io
from sil.bench.fingerprint import adapter_code
from sil.bench.peers.scaled import LARGEST, scaled_coords
from sil.confined.die_with_parent import die_with_parent
from sil.metric import Metric
from sil.problem import Problem
from sil.solution import Solution


class ProgramPeer:
    """Base of these solvers.

    Attributes
    ----------
    name
        The name in results.
    variable
        Environment variable that holds the path of the program.
    kind
        The kind of problem that it solves.
    where
        Appended to the kind in the reason for a skipped run.
    largest
        Width of the integer grid that replaces coordinates with unrounded distances.
    """

    name: str
    variable: ClassVar[str]
    kind: ClassVar[str]
    where: ClassVar[str] = ""
    largest: ClassVar[int] = LARGEST
    timed = True

    @property
    def version(self) -> str:
        """A checksum of the program and of our code that calls it."""
        checksum = zlib.crc32(self._program.read_bytes())
        return f"{self.name} {checksum:08x} (called by {adapter_code(type(self))})"

    def missing(self, problem: Problem) -> str | None:
        """Return the reason if the program is missing or does not solve this kind of problem."""
        if problem.kind != self.kind:
            return f"it solves {self.kind} only{self.where}"
        path = os.environ.get(self.variable)
        if not path:
            return f"set {self.variable} to the path of the program"
        if shutil.which(path) is None:
            return f"{self.variable} is {path}, which cannot be executed"
        return None

    def prepare(self) -> None:
        """Do nothing: there is nothing to import."""

    @property
    def _program(self) -> Path:
        return Path(shutil.which(os.environ[self.variable]) or "").absolute()

    def _run(self, problem: Problem, command: Callable[[str, Path, Path], list[str]]) -> Solution:
        """Write the problem, run the program and read its solution.

        Parameters
        ----------
        problem
            The problem; unrounded distances are replaced by those on a fine integer grid.
        command
            Returns the command, given the program, the problem file and an empty folder. The
            program must write one ``.sol`` or ``.tour`` file to that folder.
        """
        scaled = problem
        if problem.metric is Metric.EUCLIDEAN:
            coords = scaled_coords(problem, self.largest).astype(float)
            scaled = replace(problem, coords=coords, metric=Metric.EUC_2D, name="problem")
        program = str(self._program)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            file = folder / ("problem.tsp" if problem.kind == "TSP" else "problem.vrp")
            io.write(file, scaled)
            result = folder / "result"
            result.mkdir()
            ended = subprocess.run(
                command(program, file, result),
                cwd=folder,
                check=False,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                # Safe: this process has only one thread.
                preexec_fn=partial(die_with_parent, os.getpid()),
            )
            print(ended.stdout)
            called, said = Path(program).name, ended.stdout.strip().rpartition("\n")[2]
            if ended.returncode:
                raise RuntimeError(f"{called} ended with exit code {ended.returncode}: {said}")
            written = sorted([*result.glob("*.sol"), *result.glob("*.tour")])
            if not written:
                raise RuntimeError(f"{called} wrote no solution; its last line was: {said}")
            return io.read_solution(written[0])
