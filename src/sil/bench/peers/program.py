"""Programs that the user names, which read TSPLIB or VRPLIB files with whole-number coordinates."""

import os
import shutil
import subprocess
import tempfile
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import ClassVar

from sil import io
from sil.bench.dying import die_with_parent
from sil.bench.fingerprint import adapter_code
from sil.bench.peers.scaled import LARGEST, scaled_coords
from sil.problem import Metric, Problem
from sil.solution import Solution


class ProgramPeer:
    """What they have in common.

    Attributes
    ----------
    name
        In results.
    variable
        Of the environment, names the program.
    kind
        The problem that it solves.
    where
        Added to that in the reason for a skipped run.
    largest
        Units across the map that it is given if distances are no whole numbers.
    """

    name: str
    variable: ClassVar[str]
    kind: ClassVar[str]
    where: ClassVar[str] = ""
    largest: ClassVar[int] = LARGEST
    timed = True

    @property
    def version(self) -> str:
        """What tells one program from another, a checksum, and how we call it."""
        checksum = zlib.crc32(self._program.read_bytes())
        return f"{self.name} {checksum:08x} (called by {adapter_code(type(self))})"

    def missing(self, problem: Problem) -> str | None:
        """Tell whether the program is, or whether the problem is another one."""
        if problem.kind != self.kind:
            return f"it solves {self.kind} only{self.where}"
        path = os.environ.get(self.variable)
        if not path:
            return f"set {self.variable} to the program"
        if shutil.which(path) is None:
            return f"{self.variable} is {path}, which cannot be run"
        return None

    def prepare(self) -> None:
        """Nothing is to be imported."""

    @property
    def _program(self) -> Path:
        return Path(shutil.which(os.environ[self.variable]) or "").absolute()

    def _run(self, problem: Problem, command: Callable[[str, Path, Path], list[str]]) -> Solution:
        """Write the problem, run the program, and read its solution.

        Parameters
        ----------
        problem
            What to solve; distances that are no whole numbers become those of a fine grid.
        command
            Makes the command from the program, the problem's file and a folder of its own, in which
            one ``.sol`` or ``.tour`` file is to be written.
        """
        scaled = problem
        if problem.metric is Metric.EUCLIDEAN:
            coords = scaled_coords(problem, self.largest).astype(float)
            scaled = Problem(
                coords, problem.demand, problem.capacity, Metric.EUC_2D, name="problem"
            )
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
                # Safe: the process that this runs in has one thread.
                preexec_fn=partial(die_with_parent, os.getpid()),
            )
            print(ended.stdout)
            called, said = Path(program).name, ended.stdout.strip().rpartition("\n")[2]
            if ended.returncode:
                raise RuntimeError(f"{called} ended with exit code {ended.returncode}: {said}")
            written = sorted([*result.glob("*.sol"), *result.glob("*.tour")])
            if not written:
                raise RuntimeError(f"{called} wrote no solution; its last line: {said}")
            return io.read_solution(written[0])
