import pytest

from sil import generate_tsp
from sil.bench.decoding_memory import DECODING_STEPS
from sil.bench.solver import Limits


@pytest.mark.parametrize("step", DECODING_STEPS, ids=lambda step: step.name)
def test_a_step_runs_and_has_no_solution(step):
    pytest.importorskip("torch")
    problem = generate_tsp(50)
    assert step.missing(problem) is None
    assert "torch" in step.version
    step.prepare()
    assert step.solve(problem, Limits(0.0, 1, 0)) is None
    assert not step.timed


def test_model_and_attention_are_measured_with_both_kinds_of_attention():
    assert {step.name for step in DECODING_STEPS} == {
        "model, linear attention", "model, full attention",
        "attention, linear attention", "attention, full attention",
    }  # fmt: skip
