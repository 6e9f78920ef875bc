import pytest

from sil import generate_cvrp, generate_tsp
from sil.bench.own_methods import OWN_METHODS
from sil.bench.solver import Limits
from sil.policy.weights import pretrained, save

BY_NAME = {method.name: method for method in OWN_METHODS}


@pytest.mark.parametrize("problem", [generate_tsp(40), generate_cvrp(40)], ids=["TSP", "CVRP"])
@pytest.mark.parametrize("name", ["insertion", "greedy", "PRC2", "search", "auto"])
def test_methods_give_valid_solutions(name, problem):
    method = BY_NAME[name]
    assert method.missing(problem) is None
    method.prepare()
    assert method.solve(problem, Limits(0.2, 1, 0)).check(problem) == []


def test_rounds_are_repeatable_and_time_is_for_the_others():
    problem, limits = generate_tsp(60), Limits(0.0, 1, 3)
    first = BY_NAME["PRC2"].solve(problem, limits)
    assert BY_NAME["PRC2"].solve(problem, limits) == first
    timed = {name for name, method in BY_NAME.items() if method.timed}
    assert timed == {"policy", "search", "auto"}


def test_weights_for_another_problem_are_a_reason_to_skip(tmp_path):
    save(tmp_path / "w.safetensors", *pretrained("TSP", "fast"))
    method = BY_NAME["PRC2"].using(tmp_path / "w.safetensors")
    assert method.missing(generate_tsp(30)) is None
    assert method.missing(generate_cvrp(30)) == "the weights are for TSP"
    problem, limits = generate_tsp(30), Limits(0.0, 1, 0)
    assert method.solve(problem, limits) == BY_NAME["PRC2"].solve(problem, limits)
