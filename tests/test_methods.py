import numpy as np
import pytest

import sil
from sil import InputError, MaxIterations, NativePolicy, Solution, generate_cvrp, generate_tsp
from sil._native import Interrupt
from sil.bench.method_name import MethodName
from sil.bench.registry import solver_named
from sil.bench.solver import Limits
from sil.methods import METHODS, default_starts, method_named
from sil.policy.weights import pretrained, save
from sil.reconstruct.protocol import Round
from sil.train.improve import improved

SMALL = generate_cvrp(300, capacity=60)


def test_methods_name_their_starts_and_reconstructors():
    made = {name: method_named(name, SMALL) for name in METHODS}
    assert {
        name: tuple(r.name for r in method.reconstructors) for name, method in made.items()
    } == {
        "auto": ("search",),
        "search": ("search",),
        "policy": ("policy",),
        "exact": ("exact",),
        "none": (),
    }
    assert made["policy"].starts == ("insertion",)
    assert made["search"].starts == default_starts(SMALL) == ("sweep", "savings")
    assert method_named("search", generate_tsp(10)).starts == ("greedy",)
    with pytest.raises(InputError, match="choose from auto, search, policy, exact, none"):
        method_named("magic", SMALL)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("search", {"longest": 50}),
        ("search", {"policy": "fast"}),
        ("search", {"whole_first": True}),
        ("auto", {"policy": "fast"}),
        ("exact", {"policy": "fast"}),
        ("none", {"longest": 5}),
    ],
)
def test_an_option_that_would_be_ignored_is_refused(name, options):
    with pytest.raises(InputError, match=f"the method {name} does not use"):
        method_named(name, SMALL, **options)


def test_a_policy_of_the_other_problem_is_refused_at_once():
    with pytest.raises(InputError, match="for CVRP"):
        method_named("policy", generate_tsp(10), policy=NativePolicy.load(SMALL))


def test_a_length_changes_the_length_only():
    this = Round(np.random.default_rng(0), 1, Interrupt())
    for options in ({}, {"longest": 50}):
        (policy,) = method_named("policy", SMALL, **options).reconstructors
        assert policy.length(SMALL, this) == 300  # the whole first
    (policy,) = method_named("policy", SMALL, longest=50, whole_first=False).reconstructors
    assert policy.length(SMALL, this) <= 50


def test_policy_means_the_same_for_solve_bench_and_training(tmp_path):
    config, weights = pretrained("CVRP")
    save(tmp_path / "mine.safetensors", config, weights)
    policy = NativePolicy(config, weights)
    solved = sil.solve(SMALL, MaxIterations(2), method="policy", threads=1).best
    name = MethodName("PRC", 2)
    benched = solver_named(name).solve(SMALL, Limits(0.0, 1, 0))
    other = solver_named(name.using(tmp_path / "mine.safetensors"))
    assert benched == other.solve(SMALL, Limits(0.0, 1, 0))
    start = sil.construct(SMALL, "insertion")
    trained = improved(SMALL, start, {"policy": 2}, policy, 300, 0, Interrupt(), whole_first=True)
    assert solved == benched == trained


def test_the_default_method_of_solve_is_that_of_the_command():
    assert sil.solve(SMALL, MaxIterations(2)).method == "search"


def test_own_reconstructors_exclude_a_method():
    with pytest.raises(InputError, match="not both"):
        sil.solve(SMALL, MaxIterations(1), method="search", reconstructors=[])


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize(
    "problem", [generate_tsp(1_500), generate_cvrp(1_500)], ids=["TSP", "CVRP"]
)
def test_rounds_give_equal_results_for_equal_seeds_and_threads(name, problem):
    def run(seed: int) -> Solution:
        return sil.solve(problem, MaxIterations(12), seed, method=name, threads=2).best

    assert run(1) == run(1)
    if name not in ("none", "exact"):
        assert run(1) != run(2)
