import pytest

from sil import InputError
from sil.policy.config import Attention, Frame, PolicyConfig, preset


def test_presets_are_the_papers_its_successors_and_ours():
    paper = preset("paper", "TSP")
    assert (paper.dim, paper.layers, paper.heads, paper.feed_forward) == (128, 6, 8, 512)
    assert (paper.representatives, paper.candidates) == (2, None)
    assert preset("sit", "CVRP").representatives == 16
    assert preset("fast", "TSP").candidates is not None
    assert preset("fast", "TSP").frame is Frame.STEP
    with pytest.raises(InputError, match="paper, sit, fast"):
        preset("slow", "TSP")


def test_json_there_and_back():
    config = PolicyConfig("CVRP", dim=64, candidates=7, frame=Frame.STEP, attention=Attention.FULL)
    assert PolicyConfig.from_json(config.to_json()) == config


@pytest.mark.parametrize(
    "text", ["", "[]", '{"width": 3}', '{"dim": "a"}', '{"frame": "round"}', '{"dim": 17}']
)
def test_json_that_is_not_a_policy_is_refused(text):
    with pytest.raises(InputError):
        PolicyConfig.from_json(text)


@pytest.mark.parametrize(
    "settings",
    [
        {"problem": "VRPTW"},
        {"dim": 0},
        {"dim": 24},
        {"heads": 3},
        {"heads": 32},
        {"representatives": 1},
        {"candidates": 0},
        {"layers": 0},
        {"candidates": 9, "neighbours": -1},
        {"neighbours": 2},
        {"reach": 0.0, "frame": "step"},
        {"reach": 1.5},
    ],
)
def test_impossible_shapes_are_refused(settings):
    with pytest.raises(InputError):
        PolicyConfig(**settings)
