from dataclasses import replace
from itertools import count, islice

import numpy as np
import pytest

from sil import InputError, Problem, generate_cvrp, generate_tsp, write
from sil.train.instances import (
    DrawnInstances,
    GeneratedInstances,
    GivenInstances,
    instances_for,
)
from tests.train.runs import small_config

CONFIG = small_config()


def assert_same(some, others) -> None:
    for one, other in zip(some, others, strict=True):
        assert np.array_equal(one.coords, other.coords)


def test_generated_instances_follow_the_configuration():
    instances = instances_for(CONFIG, None)
    assert isinstance(instances, GeneratedInstances)
    assert instances.identity is None
    for stage, settings in enumerate(CONFIG.stages):
        training, validation = list(instances.training(stage)), instances.validation(stage)
        assert len(training) == instances.num_training(stage) == settings.instances
        assert len(validation) == instances.num_validation(stage) == settings.validation
        assert {each.num_nodes for each in training + validation} == {settings.nodes}
        assert_same(training, GeneratedInstances(CONFIG).training(stage))
        distinct = {each.coords.tobytes() for each in training + validation}
        assert len(distinct) == len(training) + len(validation)


def test_depots_may_be_far_and_demands_uneven():
    config = small_config("CVRP")
    stage = replace(config.stages[0], nodes=400, instances=20, capacities=(100,))
    usual, far, uneven = (
        list(GeneratedInstances(replace(config, stages=(changed,))).training(0))
        for changed in (stage, replace(stage, far_depots=1.0), replace(stage, uneven=1.0))
    )
    for problem in usual + uneven:
        assert np.all((problem.coords >= 0) & (problem.coords <= 1))
    for problem in far:
        assert np.hypot(*(problem.coords[0] - 0.5)) >= 1
        assert np.all((problem.coords[1:] >= 0) & (problem.coords[1:] <= 1))
    for problem in usual + far:
        assert problem.demand.max() <= 9
    largest = [problem.demand.max() for problem in uneven]
    assert np.median(largest) > 20
    assert max(largest) <= 50
    assert all(problem.demand[0] == 0 and problem.demand[1:].min() >= 1 for problem in uneven)


@pytest.mark.parametrize("total", [2, 4, 9, 10, 40])
def test_of_given_instances_some_are_held_out(total):
    problems = [generate_tsp(10 + seed, seed) for seed in range(total)]
    instances = instances_for(CONFIG, problems)
    assert isinstance(instances, GivenInstances)
    for stage in range(2):
        training, validation = list(instances.training(stage)), instances.validation(stage)
        assert len(validation) == instances.num_validation(stage) == (1 if total < 10 else 2)
        assert len(training) == instances.num_training(stage) == total - len(validation)
        sizes = sorted(problem.num_nodes for problem in training + validation)
        assert sizes == list(range(10, 10 + total))
        assert instances.nodes(stage) == 9 + total


def test_given_instances_may_be_files_problems_or_an_endless_generator(tmp_path):
    problems = [generate_tsp(12, seed) for seed in range(8)]
    paths = [tmp_path / f"{seed}.npz" for seed in range(8)]
    for path, problem in zip(paths, problems, strict=True):
        write(path, problem)
    expected = instances_for(CONFIG, problems)
    mixed = [*map(str, paths[:3]), *paths[3:5], *problems[5:]]
    endless = (generate_tsp(12, seed) for seed in count())
    for given in (paths, mixed, iter(problems), islice(endless, None)):
        found = instances_for(CONFIG, given)
        assert found.identity == expected.identity
        assert_same(found.training(0), expected.training(0))
        assert_same(found.validation(0), expected.validation(0))


def test_other_problems_have_another_identity():
    problems = [generate_cvrp(12, seed) for seed in range(3)]
    config = small_config("CVRP")
    first = problems[0]
    others = [
        Problem(first.coords, first.demand, first.capacity + 1),
        Problem(first.coords, np.roll(first.demand[::-1], 1), first.capacity),
        Problem(first.coords[[0, *range(12, 0, -1)]], first.demand, first.capacity),
    ]
    variants = [problems, problems[::-1], problems[:2], *([each, *problems[1:]] for each in others)]
    identities = {instances_for(config, each).identity for each in variants}
    assert len(identities) == len(variants)


def test_a_problem_is_scaled_to_the_unit_square():
    points = np.array([[100, 5], [300, 5], [100, 105], [200, 50]])
    problems = [Problem(points, metric="EUC_2D"), Problem(points[:, [1, 0]], metric="ATT")]
    (found,) = instances_for(CONFIG, [*problems]).training(0)
    assert found.coords.tolist() == [[0, 0], [1, 0], [0, 0.5], [0.5, 0.225]]
    assert found.metric == "EUCLIDEAN"
    same = Problem(np.ones((5, 2)))
    (found,) = instances_for(CONFIG, [same, same]).training(0)
    assert not found.coords.any()


def test_a_function_draws_from_size_and_seed():
    calls = []

    def draw(nodes: int, seed: int) -> Problem:
        calls.append((nodes, seed))
        return generate_tsp(nodes + seed % 3, seed)

    instances = instances_for(CONFIG, draw)
    assert isinstance(instances, DrawnInstances)
    training, validation = list(instances.training(0)), instances.validation(0)
    assert (len(training), len(validation)) == (6, 2)
    assert {nodes for nodes, _ in calls} == {24}
    assert len({seed for _, seed in calls}) == 8
    assert_same(training, instances_for(CONFIG, draw).training(0))
    assert instances.identity == instances_for(CONFIG, draw).identity
    assert instances.identity != instances_for(CONFIG, generate_tsp).identity


def test_a_function_must_give_equal_problems_for_equal_arguments():
    rng = np.random.default_rng(0)
    with pytest.raises(InputError, match="different ones for the same arguments"):
        instances_for(CONFIG, lambda nodes, seed: Problem(rng.random((nodes, 2))))


SQUARE = [[0, 0], [0, 1], [1, 0], [1, 1]]


@pytest.mark.parametrize(
    ("problem", "says"),
    [
        (generate_cvrp(20), "this is a CVRP, and the policy is for TSP"),
        (generate_tsp(3), "at least 4 nodes"),
        (Problem(SQUARE, metric="GEO"), "the metric is GEO"),
        (Problem(matrix=np.ones((4, 4)) - np.eye(4), metric="EXPLICIT"), "the metric is EXPLICIT"),
        (3, "not a problem but 3"),
        (None, "not a problem but None"),
    ],
)
def test_problems_that_cannot_be_trained_on_are_refused(problem, says):
    with pytest.raises(InputError, match=says):
        instances_for(CONFIG, [generate_tsp(20), problem])
    with pytest.raises(InputError, match=says):
        instances_for(CONFIG, lambda nodes, seed: problem)


@pytest.mark.parametrize("problems", [[], [generate_tsp(9)], generate_tsp(9), iter([])])
def test_too_few_problems_are_refused(problems):
    with pytest.raises(InputError, match="at least two"):
        instances_for(CONFIG, problems)


def test_something_else_is_refused(tmp_path):
    with pytest.raises(InputError, match="give files, problems, or a function"):
        instances_for(CONFIG, 3)
    with pytest.raises(InputError, match=r"none\.tsp: there is no such file"):
        instances_for(CONFIG, [tmp_path / "none.tsp"])
    with pytest.raises(InputError, match=r"none\.tsp: there is no such file"):
        instances_for(CONFIG, "none.tsp")


def test_problems_too_large_for_memory_are_refused(monkeypatch):
    monkeypatch.setattr("sil.memory.available_memory", lambda: 10_000)
    with pytest.raises(InputError, match="stage 1, with 8 instances of 50 nodes, needs"):
        instances_for(CONFIG, [generate_tsp(50, seed) for seed in range(9)]).require_memory()
