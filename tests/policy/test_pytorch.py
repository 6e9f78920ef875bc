import numpy as np
import pytest

from sil import InputError, NativePolicy, generate_cvrp, generate_tsp
from sil._native import Interrupt
from sil.partial import PartialSolutions
from sil.policy.config import Attention, PolicyConfig
from sil.policy.pytorch import TorchPolicy
from sil.reconstruct.cut import cut
from tests.policy.networks import arrays, random_policy
from tests.strategies import random_solution


def drawn(kind: str, size: int = 2_000, seed: int = 0, length: int = 20):
    problem = generate_tsp(size, seed) if kind == "TSP" else generate_cvrp(size, seed, capacity=60)
    parts = cut(problem, random_solution(problem, seed), length, np.random.default_rng(seed)).parts
    return problem, parts


def engines(kind: str, **options):
    config = PolicyConfig(kind, 32, 2, 2, 64, candidates=12, neighbours=3, **options)
    weights = arrays(random_policy(config))
    return TorchPolicy(config, weights), NativePolicy(config, weights)


def share_that_differs(one: PartialSolutions, other: PartialSolutions) -> float:
    differ = (one.nodes != other.nodes).any(axis=1)
    if one.via_depot is not None:
        differ |= (one.via_depot[:, 1:] != other.via_depot[:, 1:]).any(axis=1)
    return differ.mean()


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("kind", ["TSP", "CVRP"])
def test_it_rebuilds_as_the_native_engine_does(kind, mirrored):
    torch, native = engines(kind)
    problem, parts = drawn(kind, 20_000)
    found = torch.rebuild(problem, parts, mirrored=mirrored, threads=2)
    expected = native.rebuild(problem, parts, mirrored=mirrored, threads=2)
    assert found.fit(problem).all()
    assert share_that_differs(found, expected) < 0.01  # ties of scores
    assert share_that_differs(found, parts) > 0.9


@pytest.mark.parametrize("kind", ["TSP", "CVRP"])
def test_draws_are_those_of_the_native_engine(kind):
    torch, native = engines(kind)
    problem, parts = drawn(kind)
    found = torch.rebuild(problem, parts, sample=True, seed=7)
    assert share_that_differs(found, native.rebuild(problem, parts, sample=True, seed=7)) < 0.05
    assert share_that_differs(found, torch.rebuild(problem, parts, sample=True, seed=8)) > 0.5


def test_problems_of_any_size_are_rebuilt_together_as_alone():
    torch, _ = engines("CVRP")
    batch = [drawn("CVRP", size, size, length) for size, length in ((100, 9), (300, 30), (50, 50))]
    batch.append((batch[0][0], batch[0][1].picked(np.arange(0))))  # nothing to rebuild
    together = torch.rebuild_many(batch)
    for (problem, parts), found in zip(batch, together, strict=True):
        alone = torch.rebuild(problem, parts)
        assert alone.nodes.shape == found.nodes.shape
        differ = (alone.nodes != found.nodes).any(axis=1)
        assert differ.sum() <= 1  # a tie of scores


@pytest.mark.parametrize("kind", ["TSP", "CVRP"])
def test_it_constructs_whole_solutions(kind):
    torch, native = engines(kind)
    problem, _ = drawn(kind, 200)
    found = torch.construct(problem, 3)
    assert found.check(problem) == []
    assert found.cost(problem) == pytest.approx(native.construct(problem, 3).cost(problem), rel=0.1)


def test_full_attention_runs_here():
    config = PolicyConfig("TSP", 32, 2, 2, 64, candidates=12, attention=Attention.FULL)
    torch = TorchPolicy(config, arrays(random_policy(config)))
    problem, parts = drawn("TSP", 100)
    assert torch.rebuild(problem, parts).fit(problem).all()


def test_interrupted_it_leaves_everything_as_it_was():
    torch, _ = engines("TSP")
    problem, parts = drawn("TSP")
    interrupt = Interrupt()
    interrupt.set()
    assert torch.rebuild(problem, parts, interrupt=interrupt) is parts


def test_problems_and_devices_that_do_not_fit_are_refused():
    torch, _ = engines("TSP")
    with pytest.raises(InputError, match="for TSP"):
        torch.rebuild(*drawn("CVRP"))
    for device in ("cuda:99", "abacus"):
        with pytest.raises(InputError, match="leave it out"):
            TorchPolicy(torch.config, {}, device)


def test_shipped_weights_load():
    problem = generate_cvrp(30)
    assert TorchPolicy.load(problem).construct(problem).check(problem) == []
