"""Reads uploads and writes downloads: ``python -m sil.serve.converter PARENT GB``.

It reads one order a line from its input, as JSON, and prints one answer for each. It is replaced
when it takes too long, and ends by itself when it has grown.
"""

import errno
import json
import os
import sys
from pathlib import Path
from typing import Any

from sil import io
from sil.confined.confine import confine, memory_mb
from sil.confined.die_with_parent import die_with_parent
from sil.errors import SilError
from sil.serve import vroom
from sil.serve.binary import read_routes
from sil.serve.job import Folder
from sil.serve.options import FieldError
from sil.serve.reading import read_upload
from sil.solution import require_valid
from sil.threads import available_threads

_MOST_MB = 600.0  # after which it makes room for a new one
_UNHURRIED = 5


def obey(order: dict[str, Any]) -> dict[str, Any]:
    """Carry out an order and answer it; an error of the client is an answer, too."""
    try:
        folder = Folder(Path(order["folder"]))
        if order["do"] == "read":
            return {
                "job": read_upload(
                    Path(order["upload"]), order["title"], order["options"], folder, order["limits"]
                )
            }
        return {"written": str(_write(folder, Path(order["target"]), order["milliseconds"]))}
    except FieldError as error:
        return {"error": str(error), "field": error.field}
    except SilError as error:
        if getattr(error.__cause__, "errno", None) in (errno.ENOSPC, errno.EDQUOT):
            return {"full": True}
        return {"error": str(error).replace(f"{order.get('upload')}: ", ""), "field": "body"}
    except MemoryError:
        return {"error": "there is not enough memory for this problem", "field": "body"}


def _write(folder: Folder, target: Path, milliseconds: int) -> Path:
    """Write the best solution in the format of the target's ending; it is checked once more."""
    problem = io.read(folder.problem)
    solution = read_routes(folder.routes, problem)
    require_valid(solution, problem)
    if target.suffix == ".vroom":
        given = vroom.Answerable.load(folder.vroom)
        text = json.dumps(vroom.answer(problem, solution, given, milliseconds))
        target.write_text(text, encoding="utf-8")
    else:
        io.write_solution(target, solution, problem)
    return target


def main() -> None:
    """Obey until the input ends."""
    die_with_parent(int(sys.argv[1]))
    confine(available_threads(), float(sys.argv[2]))
    os.nice(_UNHURRIED)
    for line in sys.stdin:
        print(json.dumps(obey(json.loads(line))), flush=True)
        if memory_mb("self", "VmRSS") > _MOST_MB:
            return


if __name__ == "__main__":
    main()
