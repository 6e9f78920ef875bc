"""Fingerprints of code and instances, so that runs are repeated when either has changed.

The version number is not enough: it stays the same while the code is being worked on.
"""

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numpy as np

import sil
from sil import _native
from sil.problem import Problem

# Changes here cannot change what a method finds.
_WITHOUT_EFFECT = ("bench", "cli", "client.py", "plot.py", "progress.py", "serve", "train")
# Changes here can: the first takes the time, the second defines the methods.
_WITH_EFFECT = ("bench/worker.py", "bench/own_methods.py")
_INSTANCE = "instance"


def sum_of_files(files: Iterable[Path], folder: Path) -> str:
    """Compute a checksum of names and contents of files that does not depend on the folder."""
    total = hashlib.sha256()
    named = {
        (path.relative_to(folder) if path.is_relative_to(folder) else Path(path.name)): path
        for path in files
    }
    for name in sorted(named):
        content = named[name].read_bytes()
        total.update(f"{name.as_posix()}\0{len(content)}\0".encode())
        total.update(content)
    return total.hexdigest()[:12]


def sources(folder: Path, also: Iterable[str] = ()) -> list[Path]:
    """Find the files of this package that affect the results of our methods.

    Parameters
    ----------
    folder
        Folder of the package.
    also
        Further files that have an effect, relative to the folder.
    """
    solving = [
        path
        for path in folder.rglob("*.py")
        if path.relative_to(folder).parts[0] not in _WITHOUT_EFFECT
    ]
    named = [folder / name for name in (*_WITH_EFFECT, *also)]
    return sorted({*solving, *(path for path in named if path.is_file())})


@cache
def own_code(*also: str) -> str:
    """Compute a checksum of our code, including the native module; for `also` see `sources`."""
    folder = Path(sil.__file__).parent
    return sum_of_files([*sources(folder, also), Path(_native.__file__)], folder)


def adapter_code(kind: type) -> str:
    """Compute a checksum of our code that runs a peer: its class, the base classes, the clocks."""
    folder = Path(sil.__file__).parent
    modules = {each.__module__ for each in kind.__mro__ if each.__module__.startswith("sil.")}
    names = [f"{module.removeprefix('sil.').replace('.', '/')}.py" for module in modules]
    names += ["bench/solver.py", "bench/peers/scaled.py", "bench/worker.py"]
    names += ["confined/confine.py"]
    paths = [folder / name for name in names]
    return sum_of_files({path for path in paths if path.is_file()}, folder)


def instance_sum(problem: Problem) -> str:
    """Compute a checksum of an instance, because different instances may share a name."""
    total = hashlib.sha256(f"{problem.metric} {problem.capacity}".encode())
    for array in (problem.coords, problem.matrix, problem.demand):
        total.update(b"none" if array is None else np.ascontiguousarray(array).tobytes())
    return total.hexdigest()[:12]


def run_version(solver_version: str, problem: Problem) -> str:
    """Name everything that a result depends on: this package, the solver and the instance."""
    return f"{sil.__version__}, {solver_version}, {_INSTANCE} {instance_sum(problem)}"


def without_instance(version: str) -> list[str]:
    """Split what `run_version` returns into its parts, without the instance."""
    return [part for part in version.split(", ") if not part.startswith(f"{_INSTANCE} ")]
