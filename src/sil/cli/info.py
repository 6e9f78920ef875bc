"""The command ``sil info``."""

import json
from typing import Any

from sil import io
from sil.cli.common import (
    AsJson,
    Capacity,
    Index,
    Instance,
)


def info(
    file: Instance, as_json: AsJson = False, index: Index = None, capacity: Capacity = None
) -> None:
    """Describe a problem."""
    problem = io.read(file, index, capacity)
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
    if as_json:
        print(json.dumps(facts))
        return
    for key, value in facts.items():
        print(f"{key:<15} {value:,}" if isinstance(value, int) else f"{key:<15} {value}")
