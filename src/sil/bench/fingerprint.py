"""What tells one state of the code from another, so that rows of changed code are measured again.

The version is not enough: it stays the same while the code is worked on.
"""

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numpy as np

import sil
from sil import _native
from sil.problem import Problem

# Changes of these cannot change what a method finds.
_NO_PART = ("bench", "cli", "train", "plot.py", "progress.py")
# Changes of these can: the clock is in the one, and what a method is in the other.
_OWN_PART = ("bench/worker.py", "bench/ours.py")


def sum_of_files(files: Iterable[Path], folder: Path) -> str:
    """Sum up names and contents of files, wherever their folder lies."""
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
    """Find the files of a package of ours that have a part in the results of our methods.

    Parameters
    ----------
    folder
        Of the package.
    also
        Further files, from there, that have a part in something.
    """
    solving = [
        path for path in folder.rglob("*.py") if path.relative_to(folder).parts[0] not in _NO_PART
    ]
    named = [folder / name for name in (*_OWN_PART, *also)]
    return sorted({*solving, *(path for path in named if path.is_file())})


@cache
def own_code(*also: str) -> str:
    """Sum up our own code, the native part included; further files as in `sources`."""
    folder = Path(sil.__file__).parent
    return sum_of_files([*sources(folder, also), Path(_native.__file__)], folder)


def adapter_code(kind: type) -> str:
    """Sum up the code of ours that runs a peer: its class, what this is made of, and the clock."""
    folder = Path(sil.__file__).parent
    modules = {each.__module__ for each in kind.__mro__ if each.__module__.startswith("sil.")}
    names = [f"{module.removeprefix('sil.').replace('.', '/')}.py" for module in modules]
    paths = [folder / name for name in (*names, "bench/peers/scaled.py", "bench/worker.py")]
    return sum_of_files({path for path in paths if path.is_file()}, folder)


def instance_sum(problem: Problem) -> str:
    """Sum up an instance, for another one may have the same name."""
    total = hashlib.sha256(f"{problem.metric} {problem.capacity}".encode())
    for array in (problem.coords, problem.matrix, problem.demand):
        total.update(b"none" if array is None else np.ascontiguousarray(array).tobytes())
    return total.hexdigest()[:12]
