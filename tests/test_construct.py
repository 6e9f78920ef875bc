import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sil import InputError, Metric, Problem, Solution, construct, generate_cvrp, generate_tsp
from sil._native import Interrupt, insertion
from sil.construct import STARTS
from sil.errors import StoppedError
from tests.strategies import problems

TSP_STARTS = ["insertion", "curve", "greedy", "savings"]
CVRP_STARTS = ["insertion", "curve", "savings", "sweep"]


@given(problems(), st.integers(0, 1000))
def test_every_start_is_valid_for_every_metric_and_awkward_input(problem, seed):
    for start in TSP_STARTS if problem.kind == "TSP" else CVRP_STARTS:
        solution = construct(problem, start, seed)
        assert solution.check(problem) == []
        assert construct(problem, start, seed) == solution


@pytest.mark.parametrize("start", CVRP_STARTS)
def test_demand_equal_to_capacity_gives_a_route_each(start):
    problem = Problem(np.random.default_rng(0).random((6, 2)), [0, 7, 7, 7, 7, 7], 7)
    assert construct(problem, start).num_routes == 5


@pytest.mark.parametrize("metric", list(Metric))
def test_insertion_takes_the_cheapest_of_all_places(metric):
    rng = np.random.default_rng(5)
    # Coordinates so spread that two places never cost the same.
    coords = rng.random((60, 2)) * (30 if metric is Metric.GEO else 1e7)
    if metric is Metric.GEO:
        coords = np.trunc(coords) + 0.59 * (coords % 1)  # degrees and minutes
    if metric is Metric.HAVERSINE:
        coords = coords / 1e7 * (180, 360) - (90, 180)
    matrix = None
    if metric is Metric.EXPLICIT:
        half = np.triu(rng.random((60, 60)), 1)
        coords, matrix = None, half + half.T
    problem = Problem(coords, metric=metric, matrix=matrix)
    order = rng.permutation(problem.nodes)
    nodes = insertion(problem.instance, order, 1, Interrupt()).nodes

    tour = [int(order[0])]
    for node in order[1:].tolist():
        costs = [
            problem.distance(a, node) + problem.distance(node, b) - problem.distance(a, b)
            for a, b in zip(tour, tour[1:] + tour[:1], strict=True)
        ]
        tour.insert(int(np.argmin(costs)) + 1, node)
    expected = Solution(tour).cost(problem)
    if metric is Metric.GEO:  # whole kilometres do tie
        assert Solution(nodes).cost(problem) == pytest.approx(expected, rel=0.03)
    else:
        assert Solution(nodes).cost(problem) == pytest.approx(expected, rel=1e-12)


def test_cvrp_insertion_takes_the_cheapest_place_with_room():
    problem = generate_cvrp(60, seed=2, capacity=40)
    order = np.random.default_rng(1).permutation(problem.nodes)
    found = Solution.from_native(problem, insertion(problem.instance, order, 3, Interrupt()))

    routes: list[list[int]] = []
    for place, node in enumerate(order.tolist()):
        best = (np.inf, 0, 0)
        for r, route in enumerate(routes):
            if problem.demand[[*route, node]].sum() > problem.capacity:
                continue
            stops = [0, *route, 0]
            for i, (a, b) in enumerate(itertools.pairwise(stops)):
                cost = problem.distance(a, node) + problem.distance(node, b)
                best = min(best, (cost - problem.distance(a, b), r, i))
        if place < 3 or best[0] == np.inf:
            routes.append([node])
        else:
            routes[best[1]].insert(best[2], node)
    assert found.cost(problem) == pytest.approx(Solution.from_routes(routes).cost(problem))


def test_random_insertion_is_as_good_as_the_paper_says():
    # The paper's 13.9 % above optimal, the optimum being about 0.7124 sqrt(n) + 0.6.
    problem = generate_tsp(5_000)
    cost = construct(problem, "insertion").cost(problem)
    assert cost / (0.7124 * np.sqrt(5_000) + 0.6) == pytest.approx(1.139, abs=0.02)


def test_the_starts_of_tsp_rank_as_known():
    problems = [generate_tsp(2_000, seed) for seed in range(5)]
    cost = {name: sum(construct(p, name).cost(p) for p in problems) for name in TSP_STARTS}
    assert cost["savings"] < cost["greedy"] < cost["curve"]
    assert cost["insertion"] < cost["curve"]


def test_sweep_wins_with_long_routes_and_savings_with_short_ones():
    for capacity, winner, loser in ((1_000, "sweep", "savings"), (30, "savings", "sweep")):
        problem = generate_cvrp(5_000, capacity=capacity)
        assert construct(problem, winner).cost(problem) < construct(problem, loser).cost(problem)


def test_the_order_inside_routes_is_good():
    # One route over everything is a tour; 2-opt with Or-opt is well under 10 % above optimal.
    problem = generate_cvrp(2_000, capacity=10**6)
    solution = construct(problem, "savings")
    assert solution.num_routes == 1
    assert solution.cost(problem) < 1.10 * (0.7124 * np.sqrt(2_001) + 0.6)


@pytest.mark.parametrize(
    ("problem", "start", "message"),
    [
        (generate_tsp(5), "sweep", "is for CVRP"),
        (generate_cvrp(5), "greedy", "is for TSP"),
        (generate_tsp(5), "magic", "choose from insertion"),
    ],
)
def test_a_start_that_does_not_fit_is_refused(problem, start, message):
    with pytest.raises(InputError, match=message):
        construct(problem, start)


@pytest.mark.parametrize("start", [name for name in STARTS if name != "curve"])
def test_an_interrupt_ends_a_start(start):
    interrupt = Interrupt()
    interrupt.set()
    problem = generate_tsp(500) if start == "greedy" else generate_cvrp(500)
    with pytest.raises(StoppedError):
        STARTS[start](problem, 0, interrupt)


@pytest.mark.parametrize("start", [*TSP_STARTS, "sweep"])
@pytest.mark.parametrize("metric", ["EUCLIDEAN", "EUC_2D"])
@pytest.mark.parametrize("spread", [0.0, 1e-300, 1e-9])
def test_equal_points_take_no_longer_than_others(start, metric, spread):
    # Each takes about a second; one that compares all pairs takes minutes.
    size = 50_000
    points = 0.5 + spread * np.random.default_rng(0).random((size, 2))
    demand = None if start != "sweep" else np.r_[0, np.ones(size - 1)]
    problem = Problem(points, demand, None if demand is None else 50, metric)
    interrupt = Interrupt()
    interrupt.expire_in(20)
    assert STARTS[start](problem, 0, interrupt, threads=2).check(problem) == []


def test_the_curve_fills_vehicles_without_overflow():
    large = 2**50
    problem = Problem(np.random.default_rng(0).random((8, 2)), [0, *[large] * 7], 2**53 - 1)
    assert construct(problem, "curve").num_routes == 1
    many = generate_cvrp(1_000, capacity=9)
    assert construct(many, "curve").check(many) == []


@pytest.mark.parametrize("start", CVRP_STARTS)
def test_starts_do_not_hang_on_the_threads(start):
    problem = generate_cvrp(3_000, capacity=200)
    assert construct(problem, start, threads=3) == construct(problem, start)
