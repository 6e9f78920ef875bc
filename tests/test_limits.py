"""Limits of routes, wherever routes are made or changed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sil import (
    STARTS,
    InputError,
    MaxIterations,
    NativePolicy,
    Problem,
    Solution,
    construct,
    generate_cvrp,
    solve,
)
from sil.reconstruct.cut import cut, cut_to_depot
from tests.strategies import limited_problems, random_solution

LINE = np.array([[0.0, 0], [1, 0], [2, 0], [3, 0]])
START_NAMES = sorted(set(STARTS) - {"greedy"})


def limited(size=120, **changes):
    """A problem whose routes are ended by their duration rather than by their load."""
    problem = generate_cvrp(size, seed=3, capacity=10_000)
    service = np.r_[0.0, np.full(size, 0.02)]
    return problem.replace(service=service, speed=2.0, max_duration=1.4, **changes)


def test_the_check_adds_up_lengths_and_times():
    problem = Problem(LINE, [0, 1, 1, 1], 9, service=[0, 5, 5, 5], speed=2.0, max_duration=18)
    whole, parts = Solution.from_routes([[1, 2, 3]]), Solution.from_routes([[3, 1], [2]])
    assert whole.lengths(problem).tolist() == [6]
    assert whole.durations(problem).tolist() == [18]
    assert parts.durations(problem).tolist() == [13, 7]
    assert whole.is_feasible(problem)
    (violation,) = whole.check(problem.replace(max_duration=17))
    assert violation == "route 1 takes 18.000000, more than 17"
    far = problem.replace(max_duration=None, max_distance=6.0)
    assert whole.is_feasible(far)
    tour = Problem([*LINE, [0, 3]], [0, 1, 1, 1, 1], 9, max_distance=6.0)
    (violation,) = Solution.from_routes([[1, 2, 3, 4]]).check(tour)
    assert violation == "route 1 has the length 10.242641, more than 6"


def test_the_check_counts_the_vehicles():
    problem = Problem(LINE, [0, 1, 1, 1], 2, max_vehicles=2)
    assert Solution.from_routes([[1], [2, 3]]).is_feasible(problem)
    assert Solution.from_routes([[1], [2], [3]]).check(problem) == [
        "there are 3 routes for 2 vehicles"
    ]


@given(limited_problems(), st.sampled_from(START_NAMES), st.integers(0, 9))
@settings(max_examples=150)
def test_every_start_respects_the_limits(problem, start, seed):
    assert construct(problem, start, seed).check(problem) == []


@given(limited_problems(min_nodes=5, max_nodes=60), st.sampled_from(["search", "exact", "policy"]))
@settings(max_examples=60, deadline=None)
def test_every_method_respects_the_limits(problem, method):
    result = solve(problem, MaxIterations(4), method=method, threads=2)
    assert result.best.check(problem) == []


@given(limited_problems(min_nodes=6, max_nodes=60), st.integers(0, 99), st.booleans())
@settings(max_examples=60, deadline=None)
def test_rebuilt_parts_merge_into_routes_within_the_limits(problem, seed, to_depot):
    rng = np.random.default_rng(seed)
    solution = random_solution(problem, seed)
    assert solution.check(problem) == []
    pieces = (cut_to_depot if to_depot else cut)(problem, solution, 5, rng)
    rebuilt = NativePolicy.load(problem).rebuild(problem, pieces.parts)
    merged, gain = pieces.merge(problem, rebuilt)
    assert merged.check(problem) == []
    assert merged.cost(problem) == pytest.approx(solution.cost(problem) - gain)


def test_parts_know_what_lies_outside_them():
    problem = limited()
    solution = construct(problem, "savings")
    parts = cut(problem, solution, 4, np.random.default_rng(0)).parts
    routes = solution.routes()
    for row, nodes in enumerate(parts.nodes):
        for at, travel in (
            (nodes[0], parts.travel_before[row]),
            (nodes[-1], parts.travel_after[row]),
        ):
            route = next(route for route in routes if at in route)
            place = int(np.flatnonzero(route == at)[0])
            sides = [[0, *route[: place + 1]], [*route[place:], 0]]
            lengths = [problem.distance(side[:-1], side[1:]).sum() for side in sides]
            services = [0.04 * place, 0.04 * (len(route) - place - 1)]
            # The route may have been turned around.
            assert any(
                travel == pytest.approx([length, service], abs=1e-12)
                for length, service in zip(lengths, services, strict=True)
            )


def test_the_search_ends_routes_by_their_duration():
    problem = limited(300)
    result = solve(problem, MaxIterations(30))
    assert result.is_feasible()
    assert result.best.durations(problem).max() > 0.9 * problem.max_duration
    assert result.cost() < construct(problem, "savings").cost(problem)


def test_the_policy_constructs_within_the_limits():
    problem = limited()
    assert construct(problem, "policy").check(problem) == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"max_distance": 5}, r"node 3 cannot be served: .* 6 long there and back, and at most 5"),
        ({"max_duration": 8, "service": [0, 0, 5, 2.5]}, r"node 2 .* takes 9 .* at most 8"),
        ({"max_distance": 3}, "nor can 1 more"),
        ({"max_vehicles": 1}, "1 vehicles are too few: .* at least 2"),
        ({"max_duration": 15, "service": [0, 9, 9, 9], "max_vehicles": 2}, ""),
        ({"max_duration": 15, "service": [0, 8, 8, 8], "max_vehicles": 1}, "at least 2"),
        ({"service": [1, 1, 1, 1]}, "service time of the depot"),
        ({"service": [0, 1, -1, 1]}, "service time of node 2 is -1"),
        ({"service": [0, 1]}, "shape"),
        ({"speed": 0}, "the speed is 0"),
        ({"max_distance": float("inf")}, "finite"),
        ({"max_vehicles": 0}, "1 or more"),
        ({"max_vehicles": 2.0}, "whole number"),
    ],
)
def test_what_cannot_be_is_said_at_once(changes, message):
    capacity = 2 if "max_vehicles" in changes and len(changes) == 1 else 3
    if not message:
        Problem(LINE, [0, 1, 1, 1], capacity, **changes)
        return
    with pytest.raises(InputError, match=message):
        Problem(LINE, [0, 1, 1, 1], capacity, **changes)


def test_a_tour_has_no_limits():
    with pytest.raises(InputError, match="need demands"):
        Problem(LINE, max_distance=9)


def test_names_say_who_cannot_be_served():
    with pytest.raises(InputError, match="'far away'"):
        Problem(LINE, [0, 1, 1, 1], 3, max_distance=5, names=["d", "a", "b", "far away"])


def test_a_fleet_limit_is_reached():
    problem = generate_cvrp(200, seed=5, capacity=50)
    free = solve(problem, MaxIterations(3)).best.num_routes
    fewer = max(problem.fewest_routes + 1, free - 1)
    result = solve(problem.replace(max_vehicles=fewer), MaxIterations(60))
    assert result.is_feasible()
    assert result.best.num_routes <= fewer


def test_a_fleet_that_is_too_small_in_fact_is_never_called_valid():
    # Three loads of 2 do not fit into two vehicles of 3, although 6 is not more than 2 * 3.
    problem = Problem(LINE, [0, 2, 2, 2], 3, max_vehicles=2)
    result = solve(problem, MaxIterations(10))
    assert not result.is_feasible()
    assert result.best.num_routes == 3
    assert "more than the 2 vehicles" in result.summary()
