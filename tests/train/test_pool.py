import io
import os
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from sil import InputError, Solution, construct, generate_cvrp, generate_tsp
from sil.errors import InvalidSolutionError
from sil.train.pool import Pool
from tests.strategies import random_solution


def problems_of(kind: str) -> list:
    draw = generate_tsp if kind == "TSP" else generate_cvrp
    return [draw(30, seed) for seed in range(3)]


@pytest.mark.parametrize("kind", ["TSP", "CVRP"])
def test_what_is_put_in_comes_out_of_a_pool_opened_anew(tmp_path, kind):
    problems = problems_of(kind)
    pool = Pool.create(tmp_path / "pool", problems, tmp_path / "scratch")
    solutions = [construct(problem, "insertion") for problem in problems]
    for index, solution in enumerate(solutions):
        pool.put(index, 0, solution)
    again = Pool(tmp_path / "pool")
    assert len(again) == 3
    for index, (problem, solution) in enumerate(zip(problems, solutions, strict=True)):
        assert np.array_equal(again.problem(index).coords, problem.coords)
        assert again.problem(index).capacity == problem.capacity
        found = again.solution(index, 0)
        assert np.array_equal(found.nodes, solution.nodes)
        assert found.cost(problem) == solution.cost(problem)
    expected = np.mean([s.cost(p) for s, p in zip(solutions, problems, strict=True)])
    assert again.mean_cost(0, range(3)) == pytest.approx(expected)


def test_the_last_episode_stays_while_the_next_is_written(tmp_path):
    (problem, *_) = problems = problems_of("TSP")
    pool = Pool.create(tmp_path / "pool", problems, tmp_path / "scratch")
    for episode in range(4):
        assert not pool.has(0, episode)
        pool.put(0, episode, random_solution(problem, episode))
        assert pool.has(0, episode)
        if episode:
            expected = random_solution(problem, episode - 1).nodes
            assert np.array_equal(pool.solution(0, episode - 1).nodes, expected)
    assert not pool.has(0, 1)
    assert not pool.has(1, 3)


def test_a_row_that_was_half_written_does_not_count(tmp_path):
    problems = problems_of("TSP")
    pool = Pool.create(tmp_path / "pool", problems, tmp_path / "scratch")
    pool.put(0, 0, random_solution(problems[0], 0))
    del pool
    rows = np.load(tmp_path / "pool/solutions.npy", mmap_mode="r+")
    rows["nodes"][0, 0, 5:9] = 0
    rows.flush()
    pool = Pool(tmp_path / "pool")
    assert not pool.has(0, 0)
    with pytest.raises(InputError, match="damaged"):
        pool.solution(0, 0)


def test_a_wrong_solution_is_refused(tmp_path):
    pool = Pool.create(tmp_path / "pool", problems_of("TSP"), tmp_path / "scratch")
    with pytest.raises(InvalidSolutionError):
        pool.put(0, 0, Solution(np.zeros(30, dtype=np.int32)))
    assert not pool.has(0, 0)


def test_a_pool_is_complete_or_not_there(tmp_path, monkeypatch):
    def full(path, array):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    with pytest.raises(InputError, match="No space left"):
        Pool.create(tmp_path / "pool", problems_of("TSP"), tmp_path / "scratch")
    assert list(tmp_path.iterdir()) == []


def test_nothing_else_in_the_scratch_folder_is_touched(tmp_path):
    mine = tmp_path / "scratch/mine"
    mine.mkdir(parents=True)
    (tmp_path / "scratch/pool").mkdir()
    (tmp_path / "scratch/pool/coords.npy").write_bytes(b"left by a kill")
    Pool.create(tmp_path / "deep/pool", problems_of("CVRP"), tmp_path / "scratch")
    assert mine.is_dir()
    assert sorted(path.name for path in (tmp_path / "deep/pool").iterdir()) == [
        "capacity.npy", "coords.npy", "demand.npy", "solutions.npy",
    ]  # fmt: skip
    mine.rmdir()
    Pool.create(tmp_path / "other", problems_of("TSP"), tmp_path / "scratch")
    assert not (tmp_path / "scratch").exists()


def test_what_is_written_is_on_the_disk_before_it_is_relied_on(tmp_path, monkeypatch):
    calls = []

    def noted(module, name):
        real = getattr(module, name)

        def call(*arguments, **options):
            calls.append((name, arguments))
            return real(*arguments, **options)

        monkeypatch.setattr(module, name, call)

    noted(os, "open")
    noted(os, "fsync")
    noted(Path, "replace")
    Pool.create(tmp_path / "run/stage/pool", problems_of("CVRP"), tmp_path / "run/scratch")
    synced = [c[1][0] for c, after in pairwise(calls) if c[0] == "open" and after[0] == "fsync"]
    moved = [name for name, _ in calls].index("replace")
    before = len([name for name, _ in calls[:moved] if name == "fsync"])
    begun = tmp_path / "run/scratch/pool"
    assert synced[:before] == [
        begun / "coords.npy", begun / "solutions.npy", begun / "demand.npy",
        begun / "capacity.npy", begun,
    ]  # fmt: skip
    assert synced[before:] == [tmp_path / "run/stage", tmp_path / "run"]


@pytest.mark.parametrize("kind", ["TSP", "CVRP"])
def test_instances_of_different_sizes_are_kept_together(tmp_path, kind):
    draw = generate_tsp if kind == "TSP" else generate_cvrp
    problems = [draw(size, size) for size in (12, 30, 5)]
    pool = Pool.create(tmp_path / "pool", problems, tmp_path / "scratch")
    solutions = [construct(problem, "insertion") for problem in problems]
    for episode in range(3):
        for index, solution in enumerate(solutions):
            pool.put(index, episode, solution)
    again = Pool(tmp_path / "pool")
    assert again.dimension == problems[1].dimension
    for index, (problem, solution) in enumerate(zip(problems, solutions, strict=True)):
        assert np.array_equal(again.problem(index).coords, problem.coords)
        if kind == "CVRP":
            assert np.array_equal(again.problem(index).demand, problem.demand)
        found = again.solution(index, 2)
        assert np.array_equal(found.nodes, solution.nodes)
        assert found.check(problem) == []


@pytest.mark.parametrize("sizes", [[0, 31, 5], [12, 32, 5], [12, 31], [12.0, 31.0, 5.0]])
def test_wrong_sizes_are_an_error(tmp_path, sizes):
    problems = [generate_cvrp(size) for size in (11, 30, 4)]
    Pool.create(tmp_path / "pool", problems, tmp_path / "scratch")
    np.save(tmp_path / "pool/sizes.npy", np.array(sizes))
    with pytest.raises(InputError, match="do not belong together"):
        Pool(tmp_path / "pool")


@pytest.mark.parametrize("name", ["coords", "solutions", "demand", "capacity", "sizes"])
def test_a_damaged_file_is_an_error(tmp_path, name):
    problems = [*problems_of("CVRP"), generate_cvrp(31)]
    Pool.create(tmp_path / "pool", problems, tmp_path / "scratch")
    path = tmp_path / f"pool/{name}.npy"
    whole = path.read_bytes()
    objects = io.BytesIO()
    np.save(objects, np.array([None]), allow_pickle=True)
    other = io.BytesIO()
    np.save(other, np.zeros((1, 2, 3)))
    rubbish = [b"", b"nonsense", whole[:-9], whole[:60], objects.getvalue(), other.getvalue()]
    for content in rubbish:
        path.write_bytes(content)
        with pytest.raises(InputError, match="cannot be read as a pool"):
            Pool(tmp_path / "pool")


def test_something_else_is_not_a_pool(tmp_path):
    with pytest.raises(InputError, match="cannot be read as a pool"):
        Pool(tmp_path)
