import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sil import (
    InputError,
    MaxIterations,
    MaxRuntime,
    NativePolicy,
    PolicyReconstructor,
    Problem,
    generate_cvrp,
    generate_tsp,
    solve,
)
from sil._native import Interrupt
from sil.reconstruct.cut import cut
from sil.reconstruct.protocol import Round
from tests.strategies import problems, random_solution


def test_a_policy_does_not_rebuild_less_than_the_shortest_parts():
    with pytest.raises(InputError, match="at least 4"):
        PolicyReconstructor(NativePolicy.load(generate_tsp(4)), longest=3)


@pytest.mark.parametrize(
    ("problem", "rounds", "at_most"),
    [(generate_tsp(1_000, seed=9), 25, 0.96), (generate_cvrp(1_000, seed=9), 25, 0.85)],
)
def test_the_shipped_policy_improves_solutions(problem, rounds, at_most):
    policy = PolicyReconstructor(NativePolicy.load(problem))
    result = solve(problem, MaxIterations(rounds), start="insertion", reconstructors=[policy])
    assert result.is_feasible()
    assert result.cost() < at_most * result.history[0].cost
    assert result.method == "policy"


@pytest.mark.parametrize("problem", [generate_tsp(500), generate_cvrp(500, capacity=80)])
def test_policy_rounds_do_not_depend_on_the_threads(problem):
    policy = PolicyReconstructor(NativePolicy.load(problem), longest=60)
    one, two = (
        solve(
            problem,
            MaxIterations(4),
            seed=3,
            start="insertion",
            reconstructors=[policy],
            threads=threads,
        )
        for threads in (1, 2)
    )
    assert one.best == two.best


@settings(max_examples=25)
@given(problems(min_nodes=4, max_nodes=60), st.integers(0, 1000))
def test_policy_rounds_never_make_a_solution_worse_or_invalid(problem, seed):
    start = random_solution(problem, seed)
    policy = PolicyReconstructor(NativePolicy.load(problem), longest=20)
    result = solve(problem, MaxIterations(3), seed, start=start, reconstructors=[policy])
    assert result.is_feasible()
    assert result.cost() <= start.cost(problem)


def test_a_deadline_holds_inside_a_round_of_the_policy():
    problem = generate_tsp(20_000)
    policy = PolicyReconstructor(NativePolicy.load(problem), longest=200)
    result = solve(problem, MaxRuntime(0.5), start="curve", reconstructors=[policy])
    assert result.is_feasible()
    assert result.runtime < 20


@pytest.mark.parametrize("problem", [generate_tsp(60), generate_cvrp(60)], ids=["TSP", "CVRP"])
def test_half_of_the_rounds_show_the_policy_the_mirror_image(problem):
    parts = cut(problem, random_solution(problem, 0), 30, np.random.default_rng(0)).parts
    policy = NativePolicy.load(problem)
    image = Problem(problem.coords * [-1, 1], problem.demand, problem.capacity)
    for seed, shown in ((2, problem), (3, image)):
        found = PolicyReconstructor(policy).reconstruct(problem, parts, seed, 1, Interrupt())
        assert np.array_equal(found.nodes, policy.rebuild(shown, parts).nodes)


@pytest.mark.parametrize(
    ("problem", "longest_first"), [(generate_tsp(900), 50), (generate_cvrp(900), 900)]
)
def test_the_first_round_on_routes_rebuilds_them_all(problem, longest_first, monkeypatch):
    lengths = []

    def note(self, problem, parts, seed, threads, interrupt):
        ends_at_depot = problem.kind == "CVRP" and parts.nodes[0, -1] == 0
        lengths.append(parts.nodes.shape[1] - ends_at_depot)
        return parts

    monkeypatch.setattr(PolicyReconstructor, "reconstruct", note)
    reconstructor = PolicyReconstructor(NativePolicy.load(problem), longest=50, whole_first=True)
    solve(problem, MaxIterations(20), start="insertion", reconstructors=[reconstructor])
    assert lengths[0] <= longest_first
    assert (lengths[0] == longest_first) == (problem.kind == "CVRP")
    assert max(lengths[1:]) <= 50
    assert len(set(lengths)) > 5


def test_a_huge_cvrp_is_first_rebuilt_in_a_few_parts():
    reconstructor = PolicyReconstructor(NativePolicy.load(generate_cvrp(10)), whole_first=True)
    this = Round(np.random.default_rng(0), 1, Interrupt())
    assert reconstructor.length(generate_cvrp(410_000), this) == 410_000 // 3
