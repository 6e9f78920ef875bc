"""The command ``sil info``."""

import json
import sys
from typing import Any

from sil.cli.common import AsJson
from sil.cli.source import Source, with_source
from sil.degrees import degrees_hint
from sil.describe import describe


@with_source
def info(source: Source, as_json: AsJson = False) -> None:
    """Show the kind, size, metric, extent and demands of a problem, and describe it in words."""
    problem = source.read()
    low, high = problem.layout.min(axis=0), problem.layout.max(axis=0)
    facts: dict[str, Any] = {
        "name": problem.name,
        "problem": problem.kind,
        "nodes": problem.num_nodes,
        "metric": str(problem.metric),
        "extent": [low.tolist(), high.tolist()],
    }
    if problem.demand is not None and problem.capacity is not None:
        total = int(problem.demand.sum())
        facts |= {
            "capacity": problem.capacity,
            "demand": total,
            "largest demand": int(problem.demand.max()),
            "fewest routes": problem.fewest_routes,
        }
        limits = {
            "max distance": problem.max_distance,
            "max duration": problem.max_duration,
            "speed": problem.speed if problem.max_duration is not None else None,
            "max vehicles": problem.max_vehicles,
        }
        facts |= {name: value for name, value in limits.items() if value is not None}
    if as_json:
        print(json.dumps(facts | {"description": describe(problem)}))
    else:
        for key, value in facts.items():
            print(f"{key:<15} {value:,}" if isinstance(value, int) else f"{key:<15} {value}")
        print("", *describe(problem), sep="\n")
    hint = degrees_hint(problem)
    if hint is not None:
        print(f"note: {hint}", file=sys.stderr)
