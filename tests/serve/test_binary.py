import struct

import numpy as np
import pytest
from hypothesis import given, settings

from sil import InputError, Metric, Problem, Solution, construct, generate_cvrp, generate_tsp
from sil.serve.binary import read_routes, write_points, write_routes
from tests.strategies import problems, random_solution


@settings(max_examples=30)
@given(problems())
def test_routes_that_were_written_are_read_again(tmp_path_factory, problem):
    path = tmp_path_factory.mktemp("binary") / "routes.bin"
    solution = random_solution(problem, 0)
    write_routes(path, solution, problem)
    assert read_routes(path, problem) == solution


def test_routes_have_their_lengths_and_loads(tmp_path):
    problem = generate_cvrp(200)
    solution = construct(problem, "savings")
    write_routes(tmp_path / "r", solution, problem)
    content = (tmp_path / "r").read_bytes()
    _, nodes, routes, _, cost = struct.unpack_from("<4sIIId", content)
    assert (nodes, routes, cost) == (200, solution.num_routes, solution.cost(problem))
    lengths, loads = np.frombuffer(content, "<f8", 2 * routes, 24).reshape(2, routes)
    assert lengths.sum() == pytest.approx(cost)
    for route, length, load in zip(solution.routes(), lengths, loads, strict=True):
        assert Solution.from_routes([route]).cost(problem) == pytest.approx(length)
        assert problem.demand[route].sum() == load


def test_a_tour_is_one_route(tmp_path):
    problem = generate_tsp(50)
    solution = construct(problem, "greedy")
    write_routes(tmp_path / "r", solution, problem)
    assert np.frombuffer((tmp_path / "r").read_bytes(), "<f8", 1, 24)[0] == pytest.approx(
        solution.cost(problem)
    )


@pytest.mark.parametrize("damage", [b"", b"SILR", b"x" * 100])
def test_damaged_routes_are_refused(tmp_path, damage):
    (tmp_path / "r").write_bytes(damage)
    with pytest.raises(InputError, match="not a complete file of routes"):
        read_routes(tmp_path / "r", generate_tsp(5))


def points(path):
    content = path.read_bytes()
    sign, flags, count, depots, x, y = struct.unpack_from("<4sIIIdd", content)
    assert sign == b"SILP"
    offsets = np.frombuffer(content, "<f4", 2 * count, 32).reshape(count, 2)
    return flags, depots, offsets + np.array([x, y])


def test_points_are_where_the_nodes_are(tmp_path):
    problem = generate_cvrp(30)
    write_points(tmp_path / "p", problem)
    flags, depots, found = points(tmp_path / "p")
    assert (flags, depots) == (0, 1)
    assert np.allclose(found, problem.coords, atol=1e-6)


def test_degrees_are_shown_in_web_mercator(tmp_path):
    problem = Problem([[0.0, 0.0], [51.30, -0.10]], metric=Metric.GEO)  # degrees and minutes
    write_points(tmp_path / "p", problem)
    flags, depots, found = points(tmp_path / "p")
    assert (flags, depots) == (1, 0)
    assert np.allclose(found[0], [0.5, 0.5], atol=1e-6)
    assert np.allclose(found[1], [0.49954, 0.33259], atol=1e-4)  # 51.5 N, 0.1667 W
