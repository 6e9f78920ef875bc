import numpy as np
import pytest
import torch

from sil import generate_tsp
from sil.construct import construct
from sil.policy.config import Frame, PolicyConfig
from sil.policy.model import Policy
from sil.train.config import Optimiser
from sil.train.fit import DivergedError, Fitter
from sil.train.processes import Processes
from sil.train.states import draw_examples

CONFIG = PolicyConfig("TSP", 16, 1, 2, 32, candidates=8, frame=Frame.STEP)


def examples_of(count: int = 64):
    problem = generate_tsp(200)
    rng = np.random.default_rng(0)
    return draw_examples(problem, construct(problem, "greedy"), CONFIG, 20, count, rng)


def new_fitter() -> Fitter:
    torch.manual_seed(0)
    return Fitter(Policy(CONFIG), Optimiser(), Processes())


def test_the_labels_are_learnt():
    fitter, examples = new_fitter(), examples_of()
    fits = [fitter.step(examples, 3e-3) for _ in range(150)]
    assert fits[-1].loss < 0.5 * fits[0].loss
    assert fits[-1].accuracy > fits[0].accuracy


def test_a_restored_optimiser_goes_on_exactly():
    examples = examples_of()
    through, stopped = new_fitter(), new_fitter()
    for _ in range(4):
        through.step(examples, 1e-3)
    for _ in range(2):
        stopped.step(examples, 1e-3)
    resumed = new_fitter()
    resumed.policy.load_state_dict(stopped.policy.state_dict())
    resumed.restore(stopped.state())
    for _ in range(2):
        resumed.step(examples, 1e-3)
    for one, other in zip(through.policy.parameters(), resumed.policy.parameters(), strict=True):
        assert torch.equal(one, other)


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
        fitter.step(examples, 1e-3, np.full(len(examples.label), -1.0))
    assert fitter.step(examples, 0.0).loss > before
