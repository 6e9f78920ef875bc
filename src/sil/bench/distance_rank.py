"""How often the policy takes the nearest node, the second nearest, and so on (paper, appendix)."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sil._native import Interrupt
from sil.bench.fingerprint import own_code
from sil.bench.results import Results
from sil.bench.suites import Scale
from sil.errors import InputError
from sil.generate import generate_cvrp, generate_tsp
from sil.io.atomic import write_csv
from sil.io.records import read_records, to_cells
from sil.policy.native import NativePolicy
from sil.policy.weights import pretrained_checksum
from sil.problem import Problem
from sil.reconstruct.cut import cut
from sil.solution import Solution
from sil.solve import solve
from sil.stop import MaxIterations
from sil.threads import require_threads
from sil.train.examples import every_example

FILE = "distance-rank.csv"
_LENGTH = 100  # nodes of the partial solutions whose decoding states are examined


@dataclass(frozen=True)
class Rank:
    """How often the node of a rank is taken. The fields are the columns of the csv file.

    Parameters
    ----------
    problem
        TSP or CVRP.
    nodes
        Number of nodes of the instance.
    version
        Version of code and weights.
    rank
        Rank by distance among the nodes still to be visited, from 1.
    policy
        Probability that the policy takes this node.
    labels
        How often this node is right, according to solutions of the search.
    """

    problem: str
    nodes: int
    version: str
    rank: int
    policy: float
    labels: float


def measure_ranks(folder: Path, scale: Scale, threads: int, interrupt: Interrupt) -> bool:
    """Write the probability of each rank, for the policy and for solutions of the search.

    Results for instances of at least this size are not measured again. Returns False if
    interrupted.
    """
    size, rounds = {
        Scale.SMOKE: (120, 1),
        Scale.QUICK: (5_000, 20),
        Scale.FULL: (20_000, 100),
    }[scale]
    require_threads(threads)
    results = Results(folder)
    code = own_code("bench/distance_rank.py", "train/examples.py")
    version = f"code {code}, weights {pretrained_checksum()}"
    if _is_measured(folder / FILE, size, version):
        return True
    with results.locked():
        rows = _rows(size, rounds, version, threads, interrupt)
        if rows is None:
            return False
        write_csv(folder / FILE, [to_cells(row) for row in rows])
    return True


def _rows(
    size: int, rounds: int, version: str, threads: int, interrupt: Interrupt
) -> list[Rank] | None:
    """Measure; None if interrupted."""
    rows: list[Rank] = []
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
        for rank, (policy_share, label_share) in enumerate(
            zip(chosen.tolist(), right.tolist(), strict=True), start=1
        ):
            shares = round(policy_share, 6), round(label_share, 6)
            rows.append(Rank(problem.kind, size, version, rank, *shares))
    return rows


def _is_measured(file: Path, size: int, version: str) -> bool:
    """Whether this code and these weights were measured on instances of at least this size."""
    try:
        rows = read_ranks(file)
    except InputError:  # missing or damaged: it is written again
        return False
    return all(row.nodes >= size and row.version == version for row in rows)


def read_ranks(file: Path) -> list[Rank]:
    """Read the file written by `measure_ranks`."""
    again = "remove it and measure again with `sil bench distance-rank`"
    try:
        rows = read_records(file, Rank)
    except (OSError, ValueError, csv.Error) as error:
        raise InputError(f"{file}: cannot be read as ranks: {error}; {again}") from error
    if not rows:
        raise InputError(f"{file}: the file is empty; {again}")
    return rows


def _shares(
    problem: Problem, solution: Solution, policy: NativePolicy
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """For each partial solution, the shares of each rank: policy and labels, (k,) each."""
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
