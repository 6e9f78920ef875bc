import itertools
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sil
from sil import (
    MaxIterations,
    MaxRuntime,
    SearchReconstructor,
    construct,
    generate_cvrp,
    generate_tsp,
)
from sil._native import (
    Effort,
    Interrupt,
    Routes,
    improve_order,
    search_routes,
    search_tour,
)
from sil.errors import StoppedError
from sil.neighbours import nearest, nearest_to_visit, spread
from sil.partial import PartialSolutions
from sil.reconstruct.protocol import Round
from sil.reconstruct.regions import divide
from sil.solution import Solution
from tests.strategies import problems, random_solution


def round_of(seed=0, threads=2, used=None, seconds=None, interrupt=None):
    return Round(np.random.default_rng(seed), threads, interrupt or Interrupt(), used, seconds)


@given(problems(max_nodes=60), st.integers(0, 2**32 - 1), st.sampled_from([None, 0.0, 0.9]))
@settings(max_examples=150, deadline=None)
def test_rounds_leave_a_valid_solution(problem, seed, used):
    solution = random_solution(problem, np.random.default_rng(seed))
    search = SearchReconstructor()
    for _ in range(2):
        solution = search.improve(problem, solution, round_of(seed, used=used))
        assert solution.check(problem) == []


def test_routes_with_room_are_merged_even_if_they_are_far_from_each_other():
    rng = np.random.default_rng(0)
    towns = np.repeat(rng.uniform(0, 1_000, (12, 2)), 50, axis=0)
    places = towns + rng.normal(0, 5, towns.shape)
    depot = [[-20_000.0, 0.0]]
    problem = sil.Problem(np.concatenate([depot, places]), np.append(0, np.ones(600, int)), 40)
    # A full route and a route of ten customers in each town: 24, where 15 are enough.
    first = range(1, 601, 50)
    begun = [(range(i, i + 40), range(i + 40, i + 50)) for i in first]
    start = Solution.from_routes(itertools.chain.from_iterable(begun))
    found = sil.solve(problem, MaxIterations(30), method="search", start=start, threads=1)
    assert found.best.num_routes <= 17


@given(problems(max_nodes=60), st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_the_answer_is_never_worse_than_the_start(problem, seed):
    start = random_solution(problem, np.random.default_rng(seed))
    result = sil.solve(problem, MaxIterations(3), seed, method="search", start=start)
    assert result.is_feasible()
    assert result.cost() <= start.cost(problem)


@given(problems(kind="TSP", min_nodes=8, max_nodes=200), st.integers(1, 6), st.integers(0, 99))
@settings(max_examples=100, deadline=None)
def test_regions_side_by_side_leave_one_tour(problem, count, seed):
    rng = np.random.default_rng(seed)
    tour = rng.permutation(problem.nodes)
    region = rng.integers(0, count, problem.num_nodes).astype(np.int32)  # as scattered as can be
    new = search_tour(
        problem.instance,
        nearest(problem, 6),
        Solution(tour).native(),
        region,
        count,
        True,
        Effort(1, seed=seed),
        2,
        Interrupt(),
    )
    assert Solution(new.nodes).check(problem) == []


@given(problems(kind="TSP", min_nodes=8, max_nodes=100), st.integers(0, 99))
@settings(max_examples=50, deadline=None)
def test_one_region_without_heat_never_lengthens_the_tour(problem, seed):
    tour = Solution(np.random.default_rng(seed).permutation(problem.nodes))
    region = np.zeros(problem.num_nodes, dtype=np.int32)
    new = search_tour(
        problem.instance,
        spread(problem, 8),
        tour.native(),
        region,
        1,
        True,
        Effort(2, seed=seed),
        1,
        Interrupt(),
    )
    assert Solution(new.nodes).cost(problem) <= tour.cost(problem)


def test_a_long_edge_across_regions_is_mended():
    # The last edges that greedy takes run across the whole map.
    problem = generate_tsp(2_000, 1)
    result = sil.solve(
        problem, MaxIterations(20), seed=1, method="search", start="greedy", threads=2
    )
    nodes = result.best.nodes
    longest = problem.distance(nodes, np.roll(nodes, -1)).max()
    assert longest < 10 / np.sqrt(2_000)


def test_tsp_comes_close_to_the_optimum():
    # 0.7124 * sqrt(n * A) (1 + 0.33 / n) is the optimum's mean; boundary effects add about 0.55 A.
    problem = generate_tsp(2_000, 7)
    result = sil.solve(problem, MaxIterations(40), method="search", start="curve", threads=2)
    assert result.cost() < 1.02 * (0.7124 * np.sqrt(2_000) + 0.55)


@pytest.mark.parametrize(("capacity", "share"), [(30, 0.99), (500, 0.96)])
def test_cvrp_gains_on_the_better_start(capacity, share):
    problem = generate_cvrp(1_000, 5, capacity=capacity)
    result = sil.solve(problem, MaxIterations(60), method="search", threads=2)
    assert result.cost() < share * result.history[0].cost


def test_annealing_beats_descent():
    problem = generate_cvrp(1_000, 5)
    start = construct(problem, "sweep")

    def final_cost(heats):
        search, solution = SearchReconstructor(), start
        for number, used in enumerate(heats):
            solution = search.improve(problem, solution, round_of(number, used=used))
        return solution.cost(problem)

    rounds = 60
    cooling = [number / rounds for number in range(rounds)]
    assert final_cost(cooling) < final_cost([None] * rounds)


@pytest.mark.parametrize("make", [generate_tsp, generate_cvrp])
@pytest.mark.parametrize("threads", [1, 2])
def test_equal_seeds_and_threads_give_equal_results(make, threads):
    problem = make(1_000, 2)  # so many that two seeds hardly find the same tour

    def run(seed):
        return sil.solve(problem, MaxIterations(4), seed, method="search", threads=threads).best

    assert run(1) == run(1)
    assert run(1) != run(2)


def test_tight_capacity_stays_feasible():
    rng = np.random.default_rng(0)
    demand = np.concatenate([[0], np.full(60, 5)])
    problem = sil.Problem(rng.random((61, 2)), demand, capacity=15)  # every route must be full
    start = construct(problem, "sweep")
    result = sil.solve(problem, MaxIterations(20), method="search", start=start)
    assert result.is_feasible()
    assert result.cost() <= start.cost(problem)


def test_free_capacity_becomes_one_route():
    problem = generate_cvrp(200, 3, capacity=10**6)
    result = sil.solve(problem, MaxIterations(40), method="search", start="savings")
    assert result.best.num_routes == 1


@pytest.mark.parametrize("make", [generate_tsp, generate_cvrp])
def test_a_round_given_time_takes_about_its_share(make):
    problem = make(1_000)
    seen = []
    sil.solve(problem, MaxRuntime(2), method="search", callback=seen.append)
    assert seen[-1].iteration > 20  # of 200 wished for; a busy machine does fewer


def test_an_interrupt_before_anything_is_known():
    problem = generate_tsp(1_000)
    interrupt = Interrupt()
    interrupt.set()
    solution = construct(problem, "curve")
    with pytest.raises(StoppedError):
        SearchReconstructor().improve(problem, solution, round_of(interrupt=interrupt))


def test_a_solution_changed_by_others_is_taken_up():
    problem = generate_tsp(500)
    search = SearchReconstructor()
    first = search.improve(problem, construct(problem, "greedy"), round_of(1))
    other = construct(problem, "curve")
    second = search.improve(problem, other, round_of(2))
    assert first.check(problem) == second.check(problem) == []
    assert second.cost(problem) < other.cost(problem)


@given(problems(kind="CVRP", min_nodes=2, max_nodes=80), st.integers(0, 99), st.floats(0, 3))
@settings(max_examples=100, deadline=None)
def test_groups_of_routes_stay_feasible_at_any_temperature(problem, seed, temperature):
    rng = np.random.default_rng(seed)
    solution = random_solution(problem, rng)
    starts = solution.starts
    group = rng.integers(0, 3, len(starts)).astype(np.int32)
    held = np.zeros(problem.dimension, dtype=bool)
    held[solution.nodes[starts[rng.random(len(starts)) < 0.5]]] = True
    new = search_routes(
        problem.instance,
        nearest_to_visit(problem, 9),
        solution.native(),
        group,
        3,
        Effort(5, temperature * problem.distance(0, problem.nodes).max(), seed),
        2,
        Interrupt(),
        held,
    )
    found = Solution.from_native(problem, new)
    assert found.check(problem) == []
    for route in found.routes():
        assert held[route].sum() <= 1
        assert held[route].sum() == held[[route[0], route[-1]]].any()


def test_improve_order_keeps_routes_and_shortens_them():
    problem = generate_cvrp(300, 1, capacity=200)
    solution = construct(problem, "curve")
    near, effort = nearest(problem, 8), Effort(2, seed=1)
    new = improve_order(problem.instance, near, solution.native(), False, effort, 2, Interrupt())
    improved = Solution.from_native(problem, new)
    assert improved.cost(problem) < solution.cost(problem)
    for old, new in zip(solution.routes(), improved.routes(), strict=True):
        assert sorted(old) == sorted(new)


def test_improve_order_keeps_the_ends_of_runs_and_shortens_them():
    problem = generate_tsp(200)
    runs = np.random.default_rng(0).permutation(180).astype(np.int32).reshape(6, 30)  # 20 in none
    near, effort = spread(problem, 8), Effort(4, seed=1)
    given = Routes(runs.ravel(), np.arange(0, 180, 30, dtype=np.int32))
    found = improve_order(problem.instance, near, given, True, effort, 2, Interrupt())
    order = found.nodes.reshape(6, 30)
    assert np.array_equal(order[:, [0, -1]], runs[:, [0, -1]])
    assert np.array_equal(np.sort(order, axis=1), np.sort(runs, axis=1))
    before, after = (PartialSolutions(each).costs(problem) for each in (runs, order))
    assert (after < 0.6 * before).all()


def test_wrong_shapes_are_refused():
    problem = generate_tsp(20)
    region = divide(problem.layout, np.ones(20), 1, np.random.default_rng(0))
    near, tour = nearest(problem, 5), Solution(problem.nodes[:5]).native()
    with pytest.raises(ValueError, match="all nodes"):
        search_tour(problem.instance, near, tour, region, 1, True, Effort(1), 1, Interrupt())


def shortest_routes(problem) -> float:
    """Try all orders and all divisions into routes of a handful of customers."""
    customers = problem.nodes.tolist()
    best = np.inf
    for order in itertools.permutations(customers):
        stops = [0, *order]
        cost = [0.0] + [np.inf] * len(order)  # of the first so many, then back at the depot
        for end in range(1, len(stops)):
            for begin in range(1, end + 1):
                route = stops[begin : end + 1]
                if problem.demand[route].sum() > problem.capacity:
                    continue
                legs = problem.distance([0, *route], [*route, 0]).sum()
                cost[end] = min(cost[end], cost[begin - 1] + legs)
        best = min(best, cost[-1])
    return best


@pytest.mark.parametrize("seed", range(4))
def test_ruin_and_recreate_needs_no_triangle_inequality(seed):
    rng = np.random.default_rng(seed)
    half = np.triu(rng.integers(1, 1_000, (6, 6)).astype(float), 1)
    problem = sil.Problem(None, [0, 1, 1, 1, 1, 1], 3, "EXPLICIT", half + half.T)
    found = search_routes(
        problem.instance,
        nearest_to_visit(problem, 4),
        Routes(problem.nodes, np.arange(5, dtype=np.int32)),
        np.zeros(5, dtype=np.int32),
        1,
        Effort(400, 1.0, seed),
        1,
        Interrupt(),
    )
    assert Solution.from_native(problem, found).cost(problem) == shortest_routes(problem)


@pytest.mark.parametrize("kind", ["TSP", "CVRP"])
def test_equal_points_hold_the_limit(kind):
    size = 100_000
    points, demand = np.full((size, 2), 0.5), np.r_[0, np.ones(size - 1)]
    problem = sil.Problem(points, *((demand, 50) if kind == "CVRP" else ()))
    begun = time.perf_counter()
    result = sil.solve(problem, MaxRuntime(1), method="search", threads=2)
    assert time.perf_counter() - begun < 10
    assert result.is_feasible()


def test_a_runtime_without_end_is_no_number_of_steps_too_large():
    problem = generate_tsp(50)
    interrupt = Interrupt()
    interrupt.expire_in(0.2)
    search = SearchReconstructor()
    solution = construct(problem, "curve")
    found = search.improve(problem, solution, round_of(seconds=1e300, interrupt=interrupt))
    assert found.check(problem) == []


def test_rounds_stay_short_however_long_the_run():
    result = sil.solve(generate_tsp(100), MaxRuntime(1e12) | MaxIterations(1), method="search")
    assert result.runtime < 60
