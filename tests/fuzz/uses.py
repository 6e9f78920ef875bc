"""Commands that use a problem or a solution, and what to check of what they wrote."""

import json
import random
from pathlib import Path

from tests.fuzz.case import Case, Check, Ended, Expect
from tests.fuzz.problems import Instance, routes_in

METHODS = ["auto", "search", "policy", "exact", "none"]
STARTS = {"TSP": ["insertion", "curve", "greedy", "savings", "policy"]}
STARTS["CVRP"] = ["insertion", "curve", "savings", "sweep", "policy"]


def solved(instance: Instance, out: str) -> Check:
    """Check a solution that was written, by the problem as it was made."""

    def check(folder: Path, ended: Ended) -> str | None:
        del ended
        path = folder / "work" / out
        return instance.fault(*routes_in(path)) if path.exists() else f"{out} is not there"

    return check


def _whole_solution(folder: Path, ended: Ended) -> str | None:
    """Check what can be checked where the file may be another problem than it was."""
    report = json.loads(ended.out)
    nodes = json.loads((folder / "work/out.json").read_text())["nodes"]
    if sorted(nodes) != [*range(min(nodes), min(nodes) + report["nodes"])] or min(nodes) > 1:
        return f"the nodes of the solution are not each visited once: {str(nodes)[:200]}"
    return None if report["feasible"] else "what was found is not feasible"


def use_problem(
    rng: random.Random, file: str, content: bytes, expect: Expect, what: str, *options: str
) -> Case:
    """Read a problem with any of the commands that do."""
    files = {file: content}
    kind = rng.randrange(6)
    if kind == 0:
        argv = ("info", file, *options)
        return Case(what, expect, argv, files=files)
    if kind == 1:
        return Case(what, expect, ("info", "--json", file, *options), files=files, check=_is_json)
    if kind == 2:
        target = rng.choice(["out.npz", "out.json"])
        return Case(
            what, expect, ("convert", file, target, *options), files=files, writes=("out.",)
        )
    limit = rng.choice([("--rounds", "1"), ("--max-runtime", "0.1"), ("--rounds", "0")])
    method = ("--method", rng.choice(METHODS), "--threads", rng.choice("12"))
    argv = ("solve", file, *options, *limit, *method, "--json", "--out", "out.json")
    return Case(what, expect, argv, files=files, writes=("out.json",), check=_whole_solution)


def use_solution(
    rng: random.Random,
    instance: Instance,
    file: str,
    content: bytes,
    expect: Expect,
    what: str,
) -> Case:
    """Read a solution with any of the commands that do."""
    problem = f"p{instance.ending}" if instance.metric != "EUCLIDEAN" else "p.json"
    files = {problem: instance.text(Path(problem).suffix), file: content}
    kind = rng.randrange(4)
    if kind == 0:
        argv = ("check", problem, file, *rng.choice([(), ("--json",)]))
        return Case(what, expect, argv, files=files)
    if kind == 1:
        argv = ("solve", problem, "--start", file, "--rounds", "1", "--out", "out.npz")
        return Case(
            what, expect, argv, files=files, writes=("out.",), check=solved(instance, "out.npz")
        )
    right = ".tour" if instance.demand is None else ".sol"
    target = "out" + rng.choice([right, ".json", ".npz", ".geojson"])
    return Case(
        what,
        expect,
        ("convert", file, target, "--problem", problem),
        files=files,
        writes=("out.",),
        check=None if target == "out.geojson" else solved(instance, target),
    )


def _is_json(folder: Path, ended: Ended) -> str | None:
    del folder

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not json")

    json.loads(ended.out, parse_constant=refuse)
    return None
