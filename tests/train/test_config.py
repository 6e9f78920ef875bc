import re
from dataclasses import asdict

import pytest

from sil import InputError
from sil.train.config import config_of, config_text, load_config, parse_config, shipped_configs
from tests.train.runs import toml


def test_every_shipped_configuration_can_be_read_and_says_what_to_expect():
    assert {"tiny", "fast-tsp", "fast-cvrp", "paper-tsp", "paper-cvrp"} <= set(shipped_configs())
    for name in shipped_configs():
        load_config(name)
        assert config_text(name).startswith("#")


@pytest.mark.parametrize("kind", ["tsp", "cvrp"])
def test_the_paper_s_hyperparameters(kind):
    config = load_config(f"paper-{kind}")
    policy = config.policy
    assert (policy.dim, policy.layers, policy.heads, policy.feed_forward) == (128, 6, 8, 512)
    assert [stage.nodes for stage in config.stages] == [1_000, 5_000, 10_000, 50_000, 100_000]
    assert [stage.instances for stage in config.stages] == [10_000, 200, 200, 100, 100]
    assert {stage.epochs for stage in config.stages} == {20}
    assert {stage.rate for stage in config.stages} == {1e-4}
    assert {stage.longest for stage in config.stages} == {1_000}
    assert all(stage.improve == {"policy": 100} for stage in config.stages)
    assert config.optimiser.decay == 0.97


def test_a_file_is_read(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(toml())
    assert load_config(str(path)) == parse_config(toml())


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("seed = 3", "sede = 3", "sede"),
        ("seed = 3", 'seed = "x"', "seed"),
        ("seed = 3", "seed = ", "TOML"),
        ("batch = 32", "batch = 0", "batch"),
        ("batch = 32", "batch = true", "optimiser.batch"),
        ("nodes = 24\n", "", "stages[0].nodes"),
        ("nodes = 24", "nodes = 24\nnods = 2", "stages[0].nods"),
        ("{ policy = 3, search = 1 }", "{ magic = 1 }", "magic"),
        ('begin = "warm-up"', 'begin = "insertion"', "warm_up"),
        ('begin = "warm-up"', 'begin = "no"', "warm-up, insertion"),
        ("seed = 3", 'seed = 3\nweights = "fast"', "no warm-up"),
        ('problem = "TSP"', 'problem = "VRP"', "TSP, CVRP"),
        ("dim = 16", "dim = 17", "multiple"),
        ('frame = "step"', 'attention = "full"', "linear"),
        ("own = 0.5", "own = 2", "own"),
        ("candidates = 5", "candidates = 0", "candidate"),
        ("batch = 32", "batch = 32\nramp = -5", "ramp is -5"),
        ("average = 0.9", "average = 1.0", "average"),
        ("longest = 20", "longest = 20\ndistributions = { odd = 1.0 }", "odd"),
    ],
)
def test_a_mistake_is_named(old, new, says):
    text = toml()
    assert old in text
    with pytest.raises(InputError, match=re.escape(says)):
        parse_config(text.replace(old, new, 1))


def test_a_stage_may_have_candidates_of_its_own():
    config = parse_config(toml().replace("candidates = 8", "candidates = 8\nreach = 1.5"))
    seen = [config.policy_in(stage) for stage in config.stages]
    assert [policy.candidates for policy in seen] == [5, 8]
    assert [policy.reach for policy in seen] == [1.0, 1.0]


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(InputError, match="fast-tsp"):
        load_config("nothing-like-it")


def test_differences_are_named():
    config = parse_config(toml())
    other = parse_config(toml().replace("nodes = 24", "nodes = 25"))
    assert config.differences(other) == ["stages.0.nodes: 24, now 25"]
    assert config.differences(config) == []


def test_a_configuration_survives_being_written():
    config = parse_config(toml())
    assert config_of(asdict(config)) == config
