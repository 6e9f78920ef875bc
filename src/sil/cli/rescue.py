"""Save a solution somewhere else if it cannot be written to its file."""

import json
import tempfile
from pathlib import Path

from sil import io
from sil.errors import InputError, SilError
from sil.result import Result


def rescue(out: Path, result: Result, error: SilError) -> InputError:
    """Save a solution beside its file, in the current or in the temporary folder, or print it.

    Returns
    -------
    The error to raise, which says where the solution is.
    """
    for folder in (out.parent, Path.cwd(), Path(tempfile.gettempdir())):
        path = _free_name(folder / f"rescued-{out.name}")
        try:
            io.write_solution(path, result.best, result.problem)
        except SilError:
            continue
        return InputError(f"{error}. The solution was saved as {path} instead")
    print(json.dumps({"routes": [route.tolist() for route in result.best.routes()]}))
    return InputError(
        f"{error}. The solution was printed instead, because no other file could be written"
    )


def _free_name(path: Path) -> Path:
    """Find a file name that is not in use."""
    free, number = path, 1
    while free.exists():
        free = path.with_stem(f"{path.stem}-{number}")
        number += 1
    return free
