"""Running a program that reads TSPLIB or VRPLIB files with whole-number coordinates."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from sil import io
from sil.bench.peers.scaled import scaled_coords
from sil.problem import Metric, Problem
from sil.solution import Solution


def solved_by(
    variable: str, problem: Problem, command: Callable[[str, Path, Path], list[str]]
) -> Solution:
    """Write the problem, run the program that the environment names, and read its solution.

    Parameters
    ----------
    variable
        Of the environment.
    problem
        What to solve; distances that are no whole numbers become those of a fine grid.
    command
        Makes the command from the program, the problem's file and a folder of its own, in which
        one ``.sol`` or ``.tour`` file is to be written.
    """
    scaled = problem
    if problem.metric is Metric.EUCLIDEAN:
        coords = scaled_coords(problem).astype(float)
        scaled = Problem(coords, problem.demand, problem.capacity, Metric.EUC_2D, name="problem")
    program = str(Path(shutil.which(os.environ[variable]) or "").absolute())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / ("problem.tsp" if problem.kind == "TSP" else "problem.vrp")
        io.write(file, scaled)
        result = folder / "result"
        result.mkdir()
        ended = subprocess.run(command(program, file, result), cwd=folder, check=False)
        if ended.returncode:
            raise RuntimeError(f"{Path(program).name} ended with exit code {ended.returncode}")
        written = sorted([*result.glob("*.sol"), *result.glob("*.tour")])
        if not written:
            raise RuntimeError(f"{Path(program).name} wrote no solution")
        return io.read_solution(written[0])
