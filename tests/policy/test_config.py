import json
import re

import numpy as np
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
    "text",
    ["", "[]", "3", "null", '{"width": 3}', "{}", "[" * 100_000, f'{{"dim": {"9" * 5_000}}}'],
)
def test_json_that_is_not_a_policy_is_refused(text):
    with pytest.raises(InputError):
        PolicyConfig.from_json(text)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("dim", 64.0, "dim is 64.0: it must be a whole number"),
        ("dim", 64.5, "whole number"),
        ("dim", True, "whole number"),
        ("dim", "64", "whole number"),
        ("dim", None, "whole number"),
        ("dim", [64], "whole number"),
        ("dim", 17, "multiples of 16"),
        ("layers", 10_000_000, "layers is 10000000: it must be from 1 to 256"),
        ("dim", 10**30, "from 1 to 4,096"),
        ("feed_forward", 2**20, "65,536"),
        ("heads", 2**20, "512"),
        ("representatives", 2**20, "1,024"),
        ("candidates", 2**20, "100,000"),
        ("candidates", 8.0, "whole number"),
        ("neighbours", 2**20, "1,000"),
        ("neighbours", None, "whole number"),
        ("frame", "round", "instance, segment, step"),
        ("frame", None, "instance, segment, step"),
        ("frame", {}, "instance, segment, step"),
        ("attention", 1, "linear, full"),
        ("problem", ["TSP"], "TSP or CVRP"),
        ("normalised", 1, "true or false"),
        ("reach", "1", "must be a number"),
        ("reach", True, "must be a number"),
        ("reach", float("nan"), "from 0.01 to 100"),
        ("reach", 1e-300, "from 0.01 to 100"),
        ("reach", 10**400, "from 0.01 to 100"),
    ],
)
def test_json_with_a_wrong_value_is_refused(name, value, says):
    values = json.loads(PolicyConfig(frame=Frame.STEP).to_json()) | {name: value}
    with pytest.raises(InputError, match=re.escape(says)):
        PolicyConfig.from_json(json.dumps(values))


def test_json_names_each_setting_once():
    values = json.loads(PolicyConfig().to_json())
    for name in values:
        less = {key: value for key, value in values.items() if key != name}
        with pytest.raises(InputError, match=f"missing: {name}"):
            PolicyConfig.from_json(json.dumps(less))
    with pytest.raises(InputError, match="twice"):
        PolicyConfig.from_json(PolicyConfig().to_json().replace("{", '{"dim": 64,', 1))


def test_a_network_that_no_machine_can_hold_is_refused():
    assert PolicyConfig(dim=1_024, layers=8, heads=16, feed_forward=4_096).num_weights < 2**28
    with pytest.raises(InputError, match="weights, more than"):
        PolicyConfig(dim=4_096, layers=256, feed_forward=65_536)


def test_whole_numbers_of_numpy_are_whole_numbers():
    config = PolicyConfig(dim=np.int64(64), reach=np.float32(1))
    assert PolicyConfig.from_json(config.to_json()) == PolicyConfig(dim=64)


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
