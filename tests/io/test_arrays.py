import json

import numpy as np
import pytest

from sil import InputError, Problem, generate_cvrp, generate_tsp, read, read_solution, write
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
    with pytest.raises(InputError, match="contains 3 problems"):
        read(path)
    with pytest.raises(InputError, match="no problem 3"):
        read(path, index=3)
    write(path, generate_tsp(3))
    assert read(path, index=0) == generate_tsp(3)
    with pytest.raises(InputError, match="contains one"):
        read(path, index=1)


@pytest.mark.parametrize("ending", [".npz", ".json"])
def test_names_latitudes_and_longitudes(tmp_path, ending):
    path = tmp_path / f"a{ending}"
    coords = [[45.0, 7.0], [45.1, 7.1], [45.2, 7.2]]
    problem = Problem(
        coords, [0, 1, 2], 5, "HAVERSINE", name="a", names=["d", "e", "f"], detour=1.2
    )
    write(path, problem)
    assert read(path) == problem
    lat, lon = zip(*coords, strict=True)
    arrays = {"lat": lat, "lon": lon, "demand": [0, 1, 2], "capacity": 5}
    arrays |= {"names": ["d", "e", "f"], "detour": 1.2}
    if ending == ".npz":
        np.savez(path, **{key: np.array(value) for key, value in arrays.items()})
    else:
        path.write_text(json.dumps(arrays))
    assert read(path) == problem


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, 2], "must be an object"),
        ({}, "neither 'locs'"),
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


CVRP = {"locs": [[0, 1]], "depot": [0, 0], "demand": [1], "capacity": 3}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"locs": [[0, 1]], "capacity": 3}, "'capacity' needs 'demand'"),
        ({"locs": [[0, 1]], "vehicle_capacity": 1}, "'vehicle_capacity' needs 'demand'"),
        (CVRP | {"vehicle_capacity": 2}, "neither 1, as RL4CO"),
        ({"matrix": [[0]], "metric": "EXPLICIT", "depot": [0, 0]}, "'depot' needs 'locs'"),
        ({"locs": [[0, True]]}, "'locs' must be numbers, but one is of type bool"),
        ({"locs": [[0, "1"]]}, "'locs' must be numbers, but one is of type str"),
        ({"locs": {"a": 1}}, "'locs' must be numbers"),
        ({"locs": [[[0, 1]]]}, "shape"),
        ({"locs": [[[[[0]]]]]}, "rows of equal length"),
        ({"locs": [[0, 10**400]]}, "too large"),
        (CVRP | {"demand": [True]}, "'demand' must be numbers"),
        (CVRP | {"capacity": True}, "'capacity' must be numbers"),
        (CVRP | {"capacity": "3"}, "'capacity' must be numbers"),
        (CVRP | {"capacity": None}, "'capacity' must be numbers"),
        (CVRP | {"depot": ["0", "0"]}, "'depot' must be numbers"),
        (CVRP | {"demand": [1e308], "capacity": 1e308}, "demand of node 1"),
        ({"locs": [[0, 1]], "name": 7}, "'name' is 7: it must be text"),
        ({"locs": [[0, 1]], "name": "a\nb"}, "cannot be printed"),
        ({"locs": [[0, 1]], "name": "\ud800"}, "cannot be printed"),
        ({"locs": [[0, 1]], "metric": ["EUC_2D"]}, "'metric' is .* it must be text"),
        ({"locs": [[0, 1]], "a\x1b[2J": 1}, "is not supported"),
    ],
)
def test_what_only_looks_right_is_refused(tmp_path, values, message):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(values))
    with pytest.raises(InputError, match=message) as caught:
        read(path)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"locs": [[0, 1]], "locs": [[0, 2]]}', "'locs' appears twice in this file"),
        ('{"locs": [[0, NaN]]}', "NaN is not a number"),
        ('{"locs": [[0, ' + "1" * 5000 + "]]}", "not valid json"),
        ("[" * 100_000, "not valid json"),
        ('{"locs": ' + "[" * 100_000 + "]" * 100_000 + "}", "not valid json"),
        ('{"locs": [[0, 1e999]]}', "must be finite"),
        ('{"locs"', "not valid json"),
    ],
)
def test_text_that_is_no_json_of_ours_is_refused(tmp_path, text, message):
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read(path)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"nodes": [1, True]}, "must be whole numbers, but one is of type bool"),
        ({"nodes": ["1"]}, "must be whole numbers"),
        ({"nodes": [2**70]}, "too large"),
        ({"nodes": None}, "must be whole numbers"),
        ({"nodes": [1, 2], "via_depot": ["true", "false"]}, "must be true and false"),
        ({"nodes": [1, 2], "via_depot": [1.0, 0.0]}, "must be true and false"),
        ({"nodes": [1], "cost": "9"}, "'cost' must be numbers"),
        ({"nodes": [1], "cost": True}, "'cost' must be numbers"),
        ({"nodes": [1], "cost": [1, 2]}, "'cost' must be a single value"),
    ],
)
def test_solutions_that_only_look_right_are_refused(tmp_path, values, message):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(values))
    with pytest.raises(InputError, match=message):
        read_solution(path)


def test_only_problems_of_one_size_share_a_file(tmp_path):
    for problems in ([], [generate_tsp(3), generate_tsp(4)], [generate_tsp(3), generate_cvrp(3)]):
        with pytest.raises(InputError, match="of the same kind and size"):
            write_problems_npz(tmp_path / "a.npz", problems)


def test_names_come_back_whatever_they_hold(tmp_path):
    problem = Problem([[0, 0], [1, 1]], name='../[b] $x$ \\ " é')
    for name in ("a.JSON", "a.NPZ"):
        write(tmp_path / name, problem)
        assert read(tmp_path / name) == problem


@pytest.mark.parametrize("ending", [".npz", ".json"])
def test_limits_of_routes(tmp_path, ending):
    problem = generate_cvrp(5, capacity=20).replace(
        service=[0, 1, 2, 3, 4, 5.5],
        speed=2.5,
        max_distance=12,
        max_duration=34,
        max_vehicles=4,
        name="limited",
    )
    write(tmp_path / f"a{ending}", problem)
    assert read(tmp_path / f"a{ending}") == problem


def test_a_fleet_is_a_whole_number(tmp_path):
    values = {"locs": [[0, 0]], "depot": [1, 1], "demand": [1], "capacity": 2, "max_vehicles": 1.5}
    (tmp_path / "a.json").write_text(json.dumps(values))
    with pytest.raises(InputError, match=r"'max_vehicles' is 1\.5"):
        read(tmp_path / "a.json")
