from dataclasses import replace

import numpy as np
import pytest
import torch

from sil import generate_tsp
from sil.construct import construct
from sil.policy.config import Frame, PolicyConfig
from sil.policy.model import Policy
from sil.train.config import Optimiser
from sil.train.examples import draw_examples
from sil.train.fit import DivergedError, Fitter, type_of_products
from sil.train.processes import Processes

CONFIG = PolicyConfig("TSP", 16, 1, 2, 32, candidates=8, frame=Frame.STEP)


def examples_of(count: int = 64):
    problem = generate_tsp(200)
    rng = np.random.default_rng(0)
    return draw_examples(problem, construct(problem, "greedy"), CONFIG, 20, count, rng)


def new_fitter(average: float = 0.0, muon: float = 0.0) -> Fitter:
    torch.manual_seed(0)
    return Fitter(Policy(CONFIG), Optimiser(average=average, muon=muon), Processes())


def test_the_labels_are_learnt():
    fitter, examples = new_fitter(), examples_of()
    fits = [fitter.step(examples, 3e-3) for _ in range(150)]
    assert fits[-1].loss < 0.5 * fits[0].loss
    assert fits[-1].accuracy > fits[0].accuracy


@pytest.mark.parametrize(("average", "muon"), [(0.0, 0.0), (0.9, 0.0), (0.9, 5.0)])
def test_a_restored_fitter_goes_on_exactly(average, muon):
    examples = examples_of()
    through, stopped = new_fitter(average, muon), new_fitter(average, muon)
    for _ in range(4):
        through.step(examples, 1e-3)
    for _ in range(2):
        stopped.step(examples, 1e-3)
    resumed = new_fitter(average, muon)
    resumed.restore(stopped.state())
    for _ in range(2):
        resumed.step(examples, 1e-3)
    for one, other in zip(through.policy.parameters(), resumed.policy.parameters(), strict=True):
        assert torch.equal(one, other)
    for name, value in through.weights().items():
        assert torch.equal(value, resumed.weights()[name])


def test_the_policy_is_an_average_over_the_last_steps():
    last, averaged, examples = new_fitter(), new_fitter(0.5), examples_of()
    expected = averaged.weights()["score.weight"]
    for step in range(12):
        for fitter in (last, averaged):
            fitter.step(examples, 1e-2)
        now = last.weights()["score.weight"]
        assert torch.equal(now, last.policy.score.weight)
        keep = 0.0 if step == 0 else min(0.5, (step + 1) / (step + 10))
        expected = keep * expected + (1 - keep) * now
        assert torch.allclose(averaged.weights()["score.weight"], expected, atol=1e-6)


def test_what_all_logits_share_is_held_near_zero():
    fitter, examples = new_fitter(), examples_of()

    def level() -> float:
        return fitter.logits(examples).logsumexp(dim=1).abs().mean().item()

    with torch.no_grad():
        fitter.policy.score.weight.mul_(50)
    before = level()
    for _ in range(100):
        # Every action is right, so that nothing else moves the weights.
        fitter.step(replace(examples, right=examples.allowed.copy()), 3e-3)
    assert before > 5
    assert level() < 0.5 * before


def test_any_of_several_right_actions_will_do():
    fitter, examples = new_fitter(), examples_of()
    several = replace(examples, right=examples.allowed.copy())
    fit = fitter.step(several, 0.0)
    assert fit.loss == pytest.approx(0.0, abs=1e-6)
    assert fit.accuracy == 1.0


def test_a_gradient_that_is_not_finite_changes_nothing():
    fitter, examples = new_fitter(), examples_of()
    before = fitter.policy.score.weight.clone()
    examples.features.nodes[0, 0] = np.nan
    with pytest.raises(DivergedError):
        fitter.step(examples, 1e-3)
    assert torch.equal(fitter.policy.score.weight, before)


def test_negative_weights_make_labels_less_probable():
    fitter, examples = new_fitter(), examples_of()
    before = fitter.step(examples, 0.0).loss
    for _ in range(20):
        fitter.step(examples, 1e-3, np.full(len(examples), -1.0))
    assert fitter.step(examples, 0.0).loss > before


@pytest.mark.parametrize(
    ("device", "can", "expected"),
    [
        ("cpu", {"avx512_bf16": True, "amx_tile": False}, torch.bfloat16),
        ("cpu", {"avx512_bf16": True, "amx_tile": True}, torch.float32),
        ("cpu", {}, torch.float32),
        ("cuda", {"avx512_bf16": True}, torch.float32),
    ],
)
def test_half_the_bits_only_where_they_are_fast_and_safe(monkeypatch, device, can, expected):
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: can, raising=False)
    assert type_of_products(torch.device(device)) == expected
