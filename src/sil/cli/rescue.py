"""What becomes of a solution that cannot be written where it was to go."""

import json
import tempfile
from pathlib import Path

from sil import io
from sil.errors import InputError, SilError
from sil.result import Result


def rescue(out: Path, result: Result, error: SilError) -> InputError:
    """Save a solution beside its place, here, or among temporary files; at worst print it.

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
        return InputError(f"{error}. The solution is saved as {path}")
    print(json.dumps({"routes": [route.tolist() for route in result.best.routes()]}))
    return InputError(f"{error}. The solution is printed instead: nothing else could be written")


def _free_name(path: Path) -> Path:
    """Find a name that no file has yet."""
    free, number = path, 1
    while free.exists():
        free = path.with_stem(f"{path.stem}-{number}")
        number += 1
    return free
