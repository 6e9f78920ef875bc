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
    pool = Pool.create(tmp_path / "pool", problems)
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
    pool = Pool.create(tmp_path / "pool", problems)
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
    pool = Pool.create(tmp_path / "pool", problems)
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
    pool = Pool.create(tmp_path / "pool", problems_of("TSP"))
    with pytest.raises(InvalidSolutionError):
        pool.put(0, 0, Solution(np.zeros(30, dtype=np.int32)))
    assert not pool.has(0, 0)


def test_a_pool_is_complete_or_not_there(tmp_path, monkeypatch):
    def full(path, array):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    with pytest.raises(InputError, match="No space left"):
        Pool.create(tmp_path / "pool", problems_of("TSP"))
    assert list(tmp_path.iterdir()) == []


def test_something_else_is_not_a_pool(tmp_path):
    with pytest.raises(InputError, match="cannot be read as a pool"):
        Pool(tmp_path)
