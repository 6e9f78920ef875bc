import numpy as np
import pytest
import torch

from sil import NativePolicy, Problem, generate_cvrp, generate_tsp
from sil.policy.config import Frame, PolicyConfig
from sil.policy.frame import features
from sil.policy.weights import load
from sil.train.standin import labelled, reflect, train
from tests.policy.test_frame import CVRP, states_of


@pytest.mark.parametrize("kind", ["TSP", "CVRP"])
def test_a_moment_of_training_gives_weights_that_work(tmp_path, kind):
    config = PolicyConfig(kind, 16, 1, 1, 16, candidates=8, frame=Frame.STEP)
    path = tmp_path / "a.safetensors"
    train(config, seconds=1.0, path=path, instances=2)
    problem = generate_tsp(100) if kind == "TSP" else generate_cvrp(100)
    solution = NativePolicy(*load(path)).construct(problem)
    assert solution is not None
    assert solution.check(problem) == []


@pytest.mark.parametrize("kind", ["TSP", "CVRP"])
def test_labels_are_good_solutions(kind):
    problem, solution = labelled(PolicyConfig(kind), seed=3)
    assert solution.check(problem) == []
    if kind == "TSP":
        assert solution.cost(problem) < 1.05 * (0.7124 * np.sqrt(1_000) + 0.6)


@pytest.mark.parametrize("frame", [Frame.INSTANCE, Frame.STEP])
def test_a_reflected_state_is_the_state_of_the_reflected_problem(frame):
    config = PolicyConfig("CVRP", frame=frame)
    mirror = Problem(CVRP.coords * [1, -1] + [0, 1], CVRP.demand, CVRP.capacity)
    states = states_of(CVRP, np.random.default_rng(0))
    if frame is Frame.INSTANCE:
        states.box[:] = [0, 0, 1]
    here, there = features(CVRP, states, config), features(mirror, states, config)
    inputs = [torch.from_numpy(a) for a in (here.nodes, here.start, here.destination, here.context)]
    reflect([*inputs, torch.ones(1)], frame)
    expected = (there.nodes, there.start, there.destination, there.context)
    for found, wanted in zip(inputs, expected, strict=True):
        assert np.allclose(found.numpy(), wanted, atol=1e-5)
