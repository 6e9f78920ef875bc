"""First calls: what a method does only once is done before the clock starts."""

import json

import numpy as np
import pytest

from sil import Metric, Problem, generate_cvrp, generate_tsp
from sil.bench.peers.program import ProgramPeer
from sil.bench.registry import SOLVERS
from sil.bench.solver import Limits
from sil.bench.worker import main, warm_up

LIMITS = Limits(20.0, threads=1, seed=0)


class Fake:
    name, timed, version = "fake", True, ""

    def __init__(self, fails: bool = False) -> None:
        self.calls: list[tuple[Problem, Limits]] = []
        self._fails = fails

    def missing(self, problem):
        return None

    def prepare(self):
        pass

    def solve(self, problem, limits):
        self.calls.append((problem, limits))
        if self._fails:
            raise RuntimeError


def matrix_problem() -> Problem:
    coords = generate_tsp(40).coords
    matrix = np.linalg.norm(coords[:, None] - coords[None], axis=2)
    return Problem(metric=Metric.EXPLICIT, matrix=matrix)


@pytest.mark.parametrize(
    "problem",
    [generate_tsp(500), generate_cvrp(500), generate_tsp(5), matrix_problem(),
     Problem(np.floor(80 * generate_tsp(40).coords), metric=Metric.GEO)],
    ids=["TSP", "CVRP", "few", "matrix", "GEO"],
)  # fmt: skip
def test_the_first_problem_is_tiny_and_of_the_same_kind(problem):
    fake = Fake()
    warm_up(fake, problem, LIMITS)
    ((tiny, limits),) = fake.calls
    assert (tiny.kind, tiny.metric) == (problem.kind, problem.metric)
    assert tiny.dimension == min(12, problem.dimension)
    assert 0 < limits.seconds <= 1
    assert (limits.threads, limits.seed) == (1, 0)


def test_a_method_that_fails_at_it_still_gets_its_run():
    fake = Fake(fails=True)
    warm_up(fake, generate_tsp(50), LIMITS)
    assert len(fake.calls) == 1


@pytest.mark.parametrize("kind", ["TSP", "CVRP"])
@pytest.mark.parametrize("name", SOLVERS)
def test_every_method_can_solve_it(name, kind):
    method, problem = SOLVERS[name], {"TSP": generate_tsp, "CVRP": generate_cvrp}[kind](60)
    if isinstance(method, ProgramPeer):
        pytest.skip("programs do everything anew each time")
    if reason := method.missing(problem):
        pytest.skip(reason)
    fake = Fake()
    warm_up(fake, problem, Limits(0.5, 1, 0))
    ((tiny, limits),) = fake.calls
    solution = method.solve(tiny, limits)
    assert solution is None or solution.check(tiny) == []


def test_programs_need_none():
    for method in SOLVERS.values():
        if isinstance(method, ProgramPeer):
            warm_up(method, generate_cvrp(20), LIMITS)  # would raise: the program is not named


def test_the_clock_starts_after_it(tmp_path, monkeypatch):
    begun = tmp_path / "begun"
    fake, seen = Fake(), []
    monkeypatch.setattr("sil.bench.worker.solver_named", lambda name: fake)
    monkeypatch.setattr("sil.bench.worker.confine", lambda *_: None)
    monkeypatch.setattr("sil.bench.worker.die_with_parent", lambda *_: None)
    monkeypatch.setattr("sil.bench.worker.io.read", lambda path: generate_tsp(50))
    monkeypatch.setattr(
        fake, "solve", lambda problem, limits: seen.append((problem.dimension, begun.exists()))
    )
    job = {name: str(tmp_path / name) for name in ("problem", "solution", "answer", "begun")}
    job |= {"parent": 0, "threads": 1, "memory_gb": 8, "method": "fake", "seconds": 1, "seed": 0}
    (tmp_path / "job.json").write_text(json.dumps(job))
    main(tmp_path / "job.json")
    assert seen == [(12, False), (50, True)]
