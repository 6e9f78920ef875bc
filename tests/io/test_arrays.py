import json

import numpy as np
import pytest

from sil import InputError, generate_cvrp, generate_tsp, read, read_solution, write
from sil.io.arrays import write_problems_npz


def test_rl4co_names_are_read(tmp_path):
    path = tmp_path / "a.npz"
    locs = np.random.default_rng(0).random((5, 2), dtype=np.float32)
    np.savez(path, locs=locs, depot=np.zeros(2), demand=np.arange(1, 6), capacity=9)
    problem = read(path)
    assert problem.kind == "CVRP"
    assert problem.num_nodes == 5
    assert problem.demand.tolist() == [0, 1, 2, 3, 4, 5]
    assert np.array_equal(problem.coords[1:], locs)
    assert problem.name == "a"


def test_demands_divided_by_the_capacity_are_multiplied_again(tmp_path):
    path = tmp_path / "a.npz"
    demand = (np.arange(1, 10) / 2000).astype(np.float32)
    np.savez(
        path,
        locs=np.zeros((9, 2)),
        depot=np.zeros(2),
        demand=demand,
        capacity=np.float32(2000),
        vehicle_capacity=1.0,
    )
    assert read(path).demand.tolist() == list(range(10))


def test_one_of_several_is_picked(tmp_path):
    path = tmp_path / "a.npz"
    problems = [generate_cvrp(4, seed=seed) for seed in range(3)]
    write_problems_npz(path, problems)
    assert [read(path, index=i) for i in range(3)] == problems
    with pytest.raises(InputError, match="holds 3 problems"):
        read(path)
    with pytest.raises(InputError, match="no problem 3"):
        read(path, index=3)
    write(path, generate_tsp(3))
    assert read(path, index=0) == generate_tsp(3)
    with pytest.raises(InputError, match="holds one"):
        read(path, index=1)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, 2], "must be an object"),
        ({}, "no 'locs'"),
        ({"locs": [[0, 1], [2]]}, "rows of equal length"),
        ({"locs": [[0, None]]}, "must be numbers"),
        ({"locs": [[0, 1]], "time_windows": [[0, 1]]}, "'time_windows' is not supported"),
        ({"locs": [[0, 1]], "demand": [1], "capacity": 3}, "both 'depot' and 'demand'"),
        ({"locs": [[0, 1]], "depot": [0, 0], "demand": [1]}, "no 'capacity'"),
        ({"locs": [[0, 1]], "depot": [0], "demand": [1], "capacity": 3}, "shape"),
        ({"locs": [[0, 1]], "depot": [0, 0], "demand": [[1]], "capacity": 3}, "shape"),
        ({"locs": [[0, 1]], "depot": [0, 0], "demand": [1], "capacity": [3, 4]}, "single value"),
        ({"locs": [[0, 1]], "depot": [0, 0], "demand": ["a"], "capacity": 3}, "must be numbers"),
        ({"locs": [[0, 1]], "metric": "EUC_3D"}, "unknown metric"),
        ({"locs": [[0, 1]], "depot": [0, 0], "demand": [2.5], "capacity": 9}, "whole numbers"),
    ],
)
def test_bad_json_is_refused(tmp_path, values, message):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(values))
    with pytest.raises(InputError, match=message):
        read(path)


def test_pickles_are_not_executed(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, locs=np.array([{"a": 1}], dtype=object))
    with pytest.raises(InputError, match="plain arrays"):
        read(path)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "no 'nodes'"),
        ({"nodes": [0.5]}, "whole numbers"),
        ({"nodes": [1, 2], "via_depot": [1, 2]}, "true and false only"),
        ({"nodes": [1, 2], "via_depot": [0, 1]}, "through the depot"),
        ({"nodes": [1], "colour": 3}, "'colour' is not supported"),
    ],
)
def test_bad_solutions_are_refused(tmp_path, values, message):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(values))
    with pytest.raises(InputError, match=message):
        read_solution(path)
