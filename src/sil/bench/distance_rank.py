"""How often the policy takes the nearest node, the second nearest, and so on (paper, appendix)."""

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sil._native import Interrupt
from sil.bench.results import Results
from sil.bench.suites import Scale
from sil.generate import generate_cvrp, generate_tsp
from sil.io.atomic import write_csv
from sil.policy.native import NativePolicy
from sil.policy.weights import pretrained_checksum
from sil.problem import Problem
from sil.segments import cut
from sil.solution import Solution
from sil.solve import solve
from sil.stop import MaxIterations
from sil.train.states import every_example

FILE = "distance-rank.csv"
_LENGTH = 100  # nodes of the partial solutions whose decoding states are looked at


def measure_ranks(folder: Path, scale: Scale, threads: int, interrupt: Interrupt) -> bool:
    """Write probability against rank, of the policy and in solutions by the search.

    The rank is that among the nodes still to be visited. What is there already, from instances as
    large, stays. Returns whether it was not interrupted.
    """
    size, rounds = {
        Scale.SMOKE: (120, 1),
        Scale.QUICK: (5_000, 20),
        Scale.FULL: (20_000, 100),
    }[scale]
    weights = pretrained_checksum()
    if _is_measured(folder / FILE, size, weights):
        return True
    with Results(folder).locked():
        rows = _rows(size, rounds, weights, threads, interrupt)
        if rows is None:
            return False
        write_csv(folder / FILE, rows)
    return True


def _rows(
    size: int, rounds: int, weights: str, threads: int, interrupt: Interrupt
) -> list[dict[str, object]] | None:
    """Measure; None if interrupted."""
    rows: list[dict[str, object]] = []
    for problem in (generate_tsp(size), generate_cvrp(size)):
        found = solve(
            problem, MaxIterations(rounds), threads=threads, interrupt=Interrupt(interrupt)
        )
        if interrupt.is_set():
            return None
        policy = NativePolicy.load(problem)
        chosen, right = (
            np.mean(shares, axis=0)  # (k,)
            for shares in zip(*_shares(problem, found.best, policy), strict=True)
        )
        for rank in range(len(chosen)):
            shares = {"policy": f"{chosen[rank]:.6f}", "labels": f"{right[rank]:.6f}"}
            of = {"problem": problem.kind, "nodes": size, "weights": weights}
            rows.append({**of, "rank": rank + 1, **shares})
    return rows


def _is_measured(file: Path, size: int, weights: str) -> bool:
    """Whether these weights are measured already on instances as large."""
    if not file.exists():
        return False
    with file.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    return all(int(row["nodes"]) >= size and row.get("weights") == weights for row in rows)


def _shares(
    problem: Problem, solution: Solution, policy: NativePolicy
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """For each partial solution, what the policy and the labels give to each rank, (k,) each."""
    parts = cut(problem, solution, _LENGTH, np.random.default_rng(0)).parts
    for row in range(len(parts)):
        states = every_example(problem, parts.picked(np.array([row])), policy.config)
        full = states.features.valid.all(axis=1)
        inputs = (array[full] for array in states.features.arrays()[:-1])
        logits = policy.engine.logits(*inputs).astype(np.float64)
        logits[~states.allowed[full]] = -np.inf
        weight = np.exp(logits - logits.max(axis=(1, 2), keepdims=True))
        share = weight / weight.sum(axis=(1, 2), keepdims=True)  # (b, k, actions)
        yield share.sum(axis=2).mean(axis=0), states.right[full].any(axis=2).mean(axis=0)
