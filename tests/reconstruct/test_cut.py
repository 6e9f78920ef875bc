import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sil import InvalidSolutionError, Problem, Solution, _native, generate_cvrp, generate_tsp
from sil.construct import construct
from sil.partial import PartialSolutions
from sil.reconstruct.cut import Cut, cut, cut_to_depot, draw_cut, draw_length
from tests.strategies import problems, random_solution

seeds = st.integers(0, 2**32 - 1)


def shuffled(parts: PartialSolutions, rng: np.random.Generator) -> PartialSolutions:
    """Rebuild by chance: any inner order, any flags; most of them long or overloaded."""
    nodes = parts.nodes.copy()
    for row in nodes:
        row[1:-1] = rng.permutation(row[1:-1])
    via_depot = None
    if parts.via_depot is not None:
        via_depot = rng.random(nodes.shape) < rng.random()
    return parts.rebuilt(nodes, via_depot)


def slightly_changed(parts: PartialSolutions, rng: np.random.Generator) -> PartialSolutions:
    """Exchange some neighbours and turn some flags, so that old and new meet here and there."""
    nodes = parts.nodes.copy()
    for row in nodes:
        for i in range(1, len(row) - 2):
            if rng.random() < 0.2:
                row[[i, i + 1]] = row[[i + 1, i]]
    via_depot = None
    if parts.via_depot is not None:
        via_depot = parts.via_depot ^ (rng.random(nodes.shape) < 0.1)
    return parts.rebuilt(nodes, via_depot)


def unordered_edges(solution: Solution) -> list[tuple[int, int]]:
    edges = []
    for route in solution.routes():
        closed = [*route.tolist(), route[0]] if solution.via_depot is None else [0, *route, 0]
        edges += [tuple(sorted(map(int, e))) for e in itertools.pairwise(closed)]
    return sorted(edges)


@given(problems(), seeds, st.integers(1, 30))
def test_parts_do_not_overlap_and_as_many_as_fit_are_cut(problem, seed, length):
    length = min(length, problem.num_nodes)
    solution = random_solution(problem, seed)
    parts = cut(problem, solution, length, np.random.default_rng(seed)).parts
    assert parts.nodes.shape == (problem.num_nodes // length, length)
    assert len(np.unique(parts.nodes)) == parts.nodes.size


@given(problems(), seeds, st.integers(1, 30))
def test_merging_the_parts_unchanged_changes_nothing(problem, seed, length):
    solution = random_solution(problem, seed)
    pieces = cut(problem, solution, min(length, problem.num_nodes), np.random.default_rng(seed))
    merged, gain = pieces.merge(problem, pieces.parts)
    assert gain == 0
    assert unordered_edges(merged) == unordered_edges(solution)
    assert pieces.parts.fit(problem).all()


@pytest.mark.parametrize("change", [shuffled, slightly_changed])
@given(problem=problems(min_nodes=4, max_nodes=40), seed=seeds)
def test_merging_never_makes_a_solution_worse_or_invalid(change, problem, seed):
    rng = np.random.default_rng(seed)
    solution = random_solution(problem, seed)
    for _ in range(15):
        cost = solution.cost(problem)
        pieces = cut(problem, solution, draw_length(problem.num_nodes, 20, rng), rng)
        rebuilt = change(pieces.parts, rng)
        whole = (pieces.parts.costs(problem) - rebuilt.costs(problem))[rebuilt.fit(problem)]
        solution, gain = pieces.merge(problem, rebuilt)
        assert gain >= np.maximum(whole, 0).sum() - 1e-9 * cost
        assert solution.check(problem) == []
        assert gain >= 0
        assert solution.cost(problem) == pytest.approx(cost - gain, abs=1e-9 * cost)


def test_runs_that_share_a_route_cannot_overload_it_together():
    # Two routes with a little room, cut into halves: each half alone could take one more.
    rng = np.random.default_rng(3)
    for seed in range(200):
        problem = generate_cvrp(40, seed=seed, capacity=30)
        solution = random_solution(problem, seed)
        for _ in range(20):
            pieces = cut(problem, solution, 5, rng)
            solution, _ = pieces.merge(problem, shuffled(pieces.parts, rng))
        assert solution.check(problem) == []


@given(problems(kind="CVRP", min_nodes=4), seeds, st.integers(2, 10))
def test_loads_outside_a_run_are_charged(problem, seed, length):
    solution = random_solution(problem, seed)
    length = min(length, problem.num_nodes)
    parts = cut(problem, solution, length, np.random.default_rng(seed)).parts
    load = {
        int(node): int(problem.demand[route].sum()) for route in solution.routes() for node in route
    }
    for row, flags, before, after in zip(
        parts.nodes, parts.via_depot, parts.load_before, parts.load_after, strict=True
    ):
        breaks = np.flatnonzero(flags[1:]) + 1
        head = row[: breaks[0]] if len(breaks) else row
        tail = row[breaks[-1] :] if len(breaks) else row
        outside = load[int(row[0])] - problem.demand[head].sum()
        room = problem.capacity - load[int(row[0])]
        if len(breaks):
            assert before in ({0} if flags[0] else {outside, outside + room})
            rest = load[int(row[-1])] - problem.demand[tail].sum()
            room = problem.capacity - load[int(row[-1])]
            assert after in {rest, rest + room}
        else:
            assert before + after in {outside, outside + room}


def test_costs_are_those_of_the_steps():
    problem = Problem(np.array([[0.0, 0.0], [0.0, 1.0], [0.0, 2.0], [3.0, 0.0]]), [0, 1, 1, 1], 9)
    nodes = np.array([[1, 2, 3]], dtype=np.int32)
    loads = np.zeros(1, dtype=np.int64)
    direct = PartialSolutions(nodes, np.array([[True, False, True]]), loads, loads)
    assert direct.costs(problem).tolist() == [1.0 + 2.0 + 3.0]  # the first flag lies outside


def test_a_shorter_part_is_taken_and_a_longer_one_is_not():
    problem = Problem(np.array([[i, 0.0] for i in range(8)]))
    tangled = Solution([0, 2, 1, 3, 4, 5, 6, 7])
    nodes = tangled.nodes[None, :6].copy()
    pieces = Cut(tangled.nodes, None, PartialSolutions(nodes), np.array([0]))
    straight = np.arange(6, dtype=np.int32)[None]
    better, gain = pieces.merge(problem, pieces.parts.rebuilt(straight, None))
    assert gain == 2.0
    assert better.nodes.tolist() == list(range(8))

    pieces = Cut(better.nodes, None, PartialSolutions(straight), np.array([0]))
    same, gain = pieces.merge(problem, pieces.parts.rebuilt(nodes, None))
    assert gain == 0.0
    assert same == better


def test_differences_that_can_stand_alone_are_judged_alone():
    problem = Problem(np.array([[i, 0.0] for i in range(9)]))
    old = np.array([[0, 2, 1, 3, 4, 5, 6, 7, 8]], dtype=np.int32)
    new = np.array([[0, 1, 2, 3, 4, 6, 5, 7, 8]], dtype=np.int32)  # one better, one worse
    pieces = Cut(old[0], None, PartialSolutions(old), np.array([0]))
    merged, gain = pieces.merge(problem, pieces.parts.rebuilt(new, None))
    assert gain == 2.0
    assert merged.nodes.tolist() == list(range(9))


def test_one_of_two_differences_far_along_the_tour_is_taken_alone():
    # Two rows of nodes, there and back: the new tour mends one crossing and makes another.
    problem = Problem(np.array([[i, 0.0] for i in range(6)] + [[5.0 - i, 1.0] for i in range(6)]))
    good = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
    old = [0, 1, 9, 8, 7, 6, 5, 4, 3, 2, 10, 11]  # 1 - 9 and 2 - 10 instead of 1 - 2 and 9 - 10
    new = [0, 1, 2, 3, 4, 6, 5, 7, 8, 9, 10, 11]
    pieces = Cut(
        np.array(old, np.int32), None, PartialSolutions(np.array([old], np.int32)), np.array([0])
    )
    merged, gain = pieces.merge(problem, pieces.parts.rebuilt(np.array([new], np.int32), None))
    assert merged.cost(problem) == pytest.approx(Solution(good).cost(problem))
    assert gain == pytest.approx(Solution(old).cost(problem) - Solution(good).cost(problem))


def test_a_difference_that_overloads_a_route_is_not_taken_alone():
    # Old: 1 2 | 3 4 5. New: 1 | 2 3 4 | 5: neither half of the change fits by itself.
    coords = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [3.0, 1.0], [3.0, 2.0]])
    problem = Problem(coords, np.array([0, 1, 1, 1, 1, 1]), 3)
    nodes = np.array([[1, 2, 3, 4, 5]], dtype=np.int32)
    old = PartialSolutions(
        nodes, np.array([[True, False, True, False, False]]), np.zeros(1, int), np.zeros(1, int)
    )
    pieces = Cut(nodes[0], old.via_depot[0], old, np.array([0]))
    new = old.rebuilt(nodes, np.array([[True, True, False, False, True]]))
    assert new.fit(problem).all()
    merged, gain = pieces.merge(problem, new)
    whole = float(old.costs(problem)[0] - new.costs(problem)[0])
    assert gain == max(whole, 0.0)
    assert merged.check(problem) == []


@pytest.mark.parametrize("spoil", ["swap the ends", "repeat a node", "drop a part"])
def test_a_faulty_reconstructor_is_caught(spoil):
    problem = generate_tsp(20)
    pieces = cut(problem, Solution(problem.nodes), 5, np.random.default_rng(0))
    nodes = pieces.parts.nodes.copy()
    if spoil == "swap the ends":
        nodes = nodes[:, ::-1].copy()
    elif spoil == "repeat a node":
        nodes[0, 1] = nodes[0, 2]
    else:
        nodes = nodes[1:]
    with pytest.raises(InvalidSolutionError, match="same nodes between the same ends"):
        pieces.merge(problem, replace(pieces.parts, nodes=nodes))


def test_lengths_are_drawn_from_four_on():
    rng = np.random.default_rng(0)
    drawn = {draw_length(100, 8, rng) for _ in range(200)}
    assert drawn == {4, 5, 6, 7, 8}
    assert {draw_length(3, 8, rng) for _ in range(20)} == {3}
    assert max(draw_length(6, 8, rng) for _ in range(50)) == 6


def routes_of(problem, pieces) -> list[np.ndarray]:
    """Places of the customers of each route from the depot, in the order of the ring."""
    begin = pieces.via_depot.argmax()
    away = np.roll(problem.layout[pieces.nodes] - problem.layout[0], -begin, axis=0)
    return np.split(away, np.flatnonzero(np.roll(pieces.via_depot, -begin))[1:])


def circles_the_depot(problem, pieces) -> bool:
    """Whether the routes are in the order of their angles, once around."""
    angles = [np.arctan2(*route.sum(axis=0)[::-1]) for route in routes_of(problem, pieces)]
    return (pieces.sense * np.diff([*angles, angles[0]]) < 0).sum() == 1


@pytest.mark.parametrize("how", [cut, cut_to_depot])
@pytest.mark.parametrize("seed", range(4))
def test_routes_run_in_one_sense(how, seed):
    problem = generate_cvrp(300, seed, capacity=60)
    pieces = how(problem, construct(problem, "sweep"), 10, np.random.default_rng(seed))
    for route in routes_of(problem, pieces):
        x, y = np.vstack([[0, 0], route, [0, 0]]).T
        area = (x[:-1] * y[1:] - x[1:] * y[:-1]).sum()
        assert area * pieces.sense >= -1e-12


@pytest.mark.parametrize("how", [cut, cut_to_depot])
def test_routes_that_follow_each_other_are_neighbours_on_the_map(how):
    problem, rng = generate_cvrp(2000, 1, capacity=60), np.random.default_rng(0)
    solution = construct(problem, "savings")
    around, apart = 0, []
    for _ in range(40):
        pieces = how(problem, solution, 10, rng)
        around += circles_the_depot(problem, pieces)
        if not circles_the_depot(problem, pieces):
            centres = np.array([route.mean(axis=0) for route in routes_of(problem, pieces)])
            apart.append(np.linalg.norm(np.diff(centres, axis=0), axis=1).mean())
    assert 8 < around < 32  # half of the time
    at_random = np.linalg.norm(centres - rng.permutation(centres), axis=1).mean()
    assert max(apart) < at_random / 2
    # The curve lies otherwise each time, so that other routes meet.
    assert len(np.unique(np.round(apart, 9))) == len(apart)


@given(problems(min_nodes=4).filter(lambda problem: problem.kind == "CVRP"), seeds)
def test_parts_that_end_at_the_depot(problem, seed):
    rng = np.random.default_rng(seed)
    solution = random_solution(problem, seed)
    length = draw_length(problem.num_nodes, 12, rng)
    pieces = cut_to_depot(problem, solution, length, rng)
    parts = pieces.parts
    assert parts.nodes.shape[1] == length + 1
    assert (parts.nodes[:, -1] == 0).all()
    assert np.array_equal(pieces.nodes[pieces.places], parts.nodes[:, :-1])
    assert len(np.unique(pieces.places)) == pieces.places.size
    after = (pieces.places[:, -1] + 1) % len(pieces.nodes)
    assert pieces.via_depot[after].all()  # each ends with a route
    assert parts.fit(problem).all()
    same, gain = pieces.merge(problem, parts)
    assert gain == 0
    assert same.cost(problem) == pytest.approx(solution.cost(problem))
    rebuilt = shuffled(parts, rng)
    merged, gain = pieces.merge(problem, rebuilt)
    assert merged.check(problem) == []
    assert merged.cost(problem) == pytest.approx(solution.cost(problem) - gain)
    whole = (parts.costs(problem) - rebuilt.costs(problem))[rebuilt.fit(problem)]
    # On the sphere, native code and numpy differ by nanometres.
    assert gain >= whole.clip(0).sum() * (1 - 1e-9) - 1e-6


def test_half_of_the_parts_that_the_policy_sees_end_at_the_depot():
    problem, rng = generate_cvrp(100, capacity=50), np.random.default_rng(0)
    solution = random_solution(problem, 0)
    ends = [draw_cut(problem, solution, 30, rng).parts.nodes[0, -1] == 0 for _ in range(100)]
    assert 30 < sum(ends) < 70
    assert draw_cut(problem, solution, 100, rng).parts.nodes.shape == (1, 101)  # the whole
    assert draw_cut(generate_tsp(100), Solution(range(100)), 30, rng).parts.nodes.shape == (3, 30)


@given(st.integers(0, 2**32 - 1), st.booleans(), st.integers(1, 9))
@settings(max_examples=200)
def test_rings_that_differ_anywhere_are_recombined_or_refused(seed, routed, size):
    rng = np.random.default_rng(seed)
    problem = generate_cvrp(size, seed % 7) if routed else generate_tsp(size, seed % 7)
    old, new = rng.permutation(problem.nodes), rng.permutation(problem.nodes)
    flags = rng.random((2, size)) < 0.3
    run = rng.integers(0, 3, size).astype(np.int32)
    try:
        rings = [
            _native.Routes(nodes, np.flatnonzero(begins).astype(np.int32))
            for nodes, begins in zip((old, new), flags, strict=True)
        ]
        found, _ = _native.recombine(problem.instance, run, *rings)
    except RuntimeError:  # not what it is made for, but said so
        return
    assert sorted(found.nodes) == problem.nodes.tolist()
