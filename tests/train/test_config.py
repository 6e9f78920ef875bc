import re
from dataclasses import asdict

import pytest

from sil import InputError
from sil.train.config import (
    Stage,
    config_of,
    config_text,
    differences,
    load_config,
    parse_config,
    shipped_configs,
)
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
        ("longest = 20", "longest = 20\ndistributions = { uniform = -1 }", "from 0"),
        ("longest = 20", "longest = 20\ndistributions = { uniform = nan }", "from 0"),
        ("longest = 20", "longest = 20\ndistributions = { uniform = 0 }", "more than 0"),
        ("longest = 20", "longest = 20\ndistributions = 3", "table"),
        ("longest = 20", "longest = 20\ncapacities = [30]", "CVRP"),
        ("longest = 20", "longest = 20\ncapacities = 30", "list"),
        ("longest = 20", "longest = 3", "longest is 3"),
        ("seed = 3", "seed = -1", "seed is -1: it must be from 0"),
        ("seed = 3", f"seed = {2**63}", "seed is 9223372036854775808"),
        ("seed = 3", f"seed = {10**30}", "seed is 1000000"),
        ("seed = 3", f"seed = {'9' * 5_000}", "TOML"),
        ("seed = 3", "seed = 3.0", "type int"),
        ("seed = 3", "seed = true", "type int"),
        ("seed = 3", f"seed = {'[' * 5_000}{']' * 5_000}", "TOML"),
        ("seed = 3", "seed = 1979-05-27", "seed"),
        ("rate = 3e-3", "rate = nan", "rate is nan"),
        ("rate = 3e-3", "rate = inf", "rate is inf"),
        ("rate = 3e-3", "rate = -1.0", "rate is -1.0"),
        ("rate = 3e-3", "rate = 0", "rate is 0.0"),
        ("rate = 3e-3", f"rate = {10**400}", "stages[0].rate"),
        ("rate = 1e-3", "rate = inf", "warm_up: rate is inf"),
        ("average = 0.9", "average = nan", "average is nan"),
        ("batch = 32", "batch = 32\nclip = inf", "clip is inf"),
        ("batch = 32", "batch = 32\nweight_decay = nan", "weight_decay is nan"),
        ("batch = 32", "batch = 32\ndecay = 1e300", "decay"),
        ("batch = 32", f"batch = {10**30}", "batch"),
        ("own = 0.5", "own = nan", "own is nan"),
        ("nodes = 24", f"nodes = {10**30}", "nodes"),
        ("instances = 6", f"instances = {10**30}", "instances"),
        ("instances = 6", "instances = 900_000_000", "fit into memory"),
        ("validation = 2", "validation = 900_000_000", "fit into memory"),
        ("policy = 3, search = 1", f"policy = {10**30}", "improve.policy"),
        ("policy = 3, search = 1", "policy = 1.5", "improve.policy"),
        ("starts = 4", "starts = 9", "starts is 9"),
        ("starts = 4", "starts = 1", "starts is 1"),
        ("batch = 2\n", "batch = 1_000_000\n", "states per step"),
        ("rate = 1e-3", "rate = 1e-3\ncapacity = 8", "capacity is 8"),
        ("layers = 1", f"layers = {10**7}", "policy: layers is 10000000"),
        ("candidates = 5", f"candidates = {10**7}", "candidates is 10000000"),
    ],
)
def test_a_mistake_is_named(old, new, says):
    text = toml()
    assert old in text
    with pytest.raises(InputError, match=re.escape(says)):
        parse_config(text.replace(old, new, 1))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "stages = 3",
        "stages = []",
        "stages = [1, 2]",
        "stages = [[]]",
        "[stages]\nnodes = 3",
        "[policy]",
        "policy = []",
        "[policy]\n[[stages]]\nnodes = 30",
        "[policy]\n[stages.first]\nnodes = 30",
        "\x00",
        "[" * 10_000,
        "a." * 10_000 + "a = 1",
    ],
)
def test_a_wrong_form_is_refused(text):
    with pytest.raises(InputError):
        parse_config(text)


@pytest.mark.parametrize("value", [None, 3, "text", [], [{}], {"policy": None, "stages": None}])
def test_values_of_a_wrong_form_are_refused(value):
    with pytest.raises(InputError):
        config_of(value)


@pytest.mark.parametrize(
    "settings",
    [
        {"nodes": "a"},
        {"nodes": 9.0},
        {"rate": None},
        {"own": "x"},
        {"improve": None},
        {"improve": {3: 3}},
        {"capacities": 3},
        {"capacities": [9.5]},
        {"distributions": {"odd": 1.0}},
        {"distributions": object()},
    ],
)
def test_a_stage_made_by_hand_is_checked_too(settings):
    right = {"nodes": 9, "instances": 1, "episodes": 1, "epochs": 1, "states": 1, "improve": {}}
    Stage(**right)
    with pytest.raises(InputError):
        Stage(**right | settings)


def test_capacities_that_a_customer_s_demand_may_exceed_are_refused():
    def with_capacity(least: int) -> str:
        return toml("CVRP").replace("longest = 20", f"longest = 20\ncapacities = [30, {least}]")

    assert parse_config(with_capacity(9)).stages[0].capacities == (30, 9)
    with pytest.raises(InputError, match="capacities is 8"):
        parse_config(with_capacity(8))


def test_a_file_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "mine.toml"
    for content in (b"\xff\xfe\x00", b"#" * 2_000_000):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"mine\.toml"):
            load_config(str(path))
    for name in ("x" * 5_000, "", ".", str(tmp_path), "a\0b"):
        with pytest.raises(InputError):
            load_config(name)


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
    assert differences(config, other) == ["stages.0.nodes: 24, now 25"]
    assert differences(config, config) == []


def test_a_configuration_survives_being_written():
    config = parse_config(toml())
    assert config_of(asdict(config)) == config
