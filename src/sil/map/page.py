"""Writes a plan as an HTML map that opens from disk, without anything from the network."""

import json
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from sil import plan
from sil.errors import InputError, printable
from sil.io.atomic import replacing
from sil.problem import Problem
from sil.solution import Solution
from sil.units import duration_text, length_text

_GRID = 1_000_000  # places are whole numbers up to this: finer than any screen, and short


def require_map_format(path: Path) -> None:
    """Raise an error unless a map can be written to this path."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"cannot draw a map to {printable(path)}: the extension must be .html")


def save_map(path: Path | str, solution: Solution, problem: Problem) -> None:
    """Write a map of the routes that can be moved and zoomed, with their stops, loads and lengths.

    It is one file that contains all it needs: names and places go nowhere.
    """
    path = Path(path)
    require_map_format(path)
    here = files("sil.map")
    text = (here / "page.html").read_text(encoding="utf-8")
    parts = {
        "title": escape(problem.name),
        "script": (here / "routes.js").read_text(encoding="utf-8"),
        "plan": _for_script(drawn(solution, problem)),
    }
    for name, part in parts.items():
        text = text.replace(f"<!-- {name} -->", part)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def drawn(solution: Solution, problem: Problem) -> dict[str, Any]:
    """Return what `routes.js` draws: places, names, and routes with a line about each."""
    at = plan.positions(problem)
    low = at.min(axis=0)
    side = float((at.max(axis=0) - low).max()) or 1.0
    places = np.rint((at - low) / side * _GRID).astype(np.int64)  # (dimension, 2)
    of_routes = plan.routes(solution, problem)
    lengths, counts = of_routes["length"].tolist(), of_routes["stops"].tolist()
    loads = of_routes["load"].tolist() if "load" in of_routes else None
    times = of_routes["duration"].tolist() if "duration" in of_routes else None
    about = []
    for i, (length, count) in enumerate(zip(lengths, counts, strict=True)):
        load = "" if loads is None else f", load {loads[i]:,}"
        time = "" if times is None else f", {duration_text(problem, times[i])}"
        about.append(f"{_counted(count, 'stop')}{load}, {length_text(problem, length)}{time}")
    total = length_text(problem, float(solution.cost(problem)))
    routes = f" on {_counted(solution.num_routes, 'route')}" if problem.kind == "CVRP" else ""
    return {
        "title": problem.name,
        "about": f"{_counted(problem.num_nodes, 'stop')}{routes}, {total}",
        "depot": problem.kind == "CVRP",
        "x": places[:, 0].tolist(),
        "y": places[:, 1].tolist(),
        "names": None if problem.names is None else problem.names.tolist(),
        "routes": [route.tolist() for route in solution.routes()],
        "aboutRoutes": about,
    }


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _for_script(value: Any) -> str:
    """Write JSON that cannot end the script that contains it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
