import pytest

import sil
from sil import InputError, MaxIterations, NativePolicy, generate_cvrp, method_named
from sil.policy.load import load_engine
from sil.policy.pytorch import TorchPolicy


def test_a_device_means_pytorch_and_none_the_native_engine():
    problem = generate_cvrp(20)
    assert isinstance(load_engine(problem), NativePolicy)
    assert isinstance(load_engine(problem, device="cpu"), TorchPolicy)


def test_methods_take_a_device_and_solve_as_the_native_engine_does():
    problem = generate_cvrp(200)
    costs = [
        sil.solve(
            problem, MaxIterations(3), method=method_named("policy", problem, device=device)
        ).cost()
        for device in (None, "cpu")
    ]
    assert costs[0] == pytest.approx(costs[1], rel=0.02)


def test_a_device_that_nothing_would_use_is_refused():
    problem = generate_cvrp(20)
    with pytest.raises(InputError, match="does not use a device"):
        method_named("search", problem, device="cpu")
    with pytest.raises(InputError, match="weights instead"):
        method_named("policy", problem, policy=load_engine(problem), device="cpu")
