import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sil import InputError, NativePolicy, generate_cvrp, generate_tsp
from sil.policy.config import Attention, PolicyConfig
from sil.policy.weights import load, load_or_pretrained, pretrained, save, shapes
from tests.policy.networks import arrays, random_policy

SMALL = PolicyConfig("CVRP", dim=16, layers=1, heads=2, feed_forward=16, representatives=3)


@pytest.mark.parametrize("attention", list(Attention))
def test_the_model_has_the_weights_that_we_say(attention):
    config = PolicyConfig("CVRP", 32, 2, 2, 48, 4, attention=attention)
    found = {name: value.shape for name, value in arrays(random_policy(config)).items()}
    assert found == shapes(config)
    assert config.num_weights == sum(map(math.prod, found.values()))


def test_weights_there_and_back(tmp_path):
    path = tmp_path / "a.safetensors"
    weights = arrays(random_policy(SMALL))
    save(path, SMALL, weights)
    config, found = load(path)
    assert config == SMALL
    assert all((found[name] == weights[name]).all() for name in weights)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.json", "a.safetensors"]


def test_a_mismatch_is_named(tmp_path):
    path = tmp_path / "a.safetensors"
    save(path, SMALL, arrays(random_policy(SMALL)))
    other = PolicyConfig("TSP", dim=16, layers=1, heads=2, feed_forward=16, representatives=3)
    path.with_suffix(".json").write_text(other.to_json())
    with pytest.raises(InputError, match=r"encoder\.weight is \(16, 4\), expected \(16, 2\)"):
        load(path)
    with pytest.raises(InputError, match="do not fit"):
        save(path, other, arrays(random_policy(SMALL)))


def test_files_that_are_missing_or_damaged_are_named(tmp_path):
    path = tmp_path / "a.safetensors"
    with pytest.raises(InputError, match=r"a\.safetensors: there is no such file"):
        load(path)
    save(path, SMALL, arrays(random_policy(SMALL)))
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(InputError, match="cannot be read as weights"):
        load(path)
    path.with_suffix(".json").unlink()
    with pytest.raises(InputError, match=r"a\.json: there is no such file"):
        load(path)
    with pytest.raises(InputError, match=r"written as \.safetensors"):
        save(tmp_path / "a.bin", SMALL, {})


@pytest.mark.parametrize("problem", ["TSP", "CVRP"])
def test_weights_are_shipped(problem):
    assert pretrained(problem)[0].problem == problem
    with pytest.raises(InputError, match="choose from fast"):
        pretrained(problem, "huge")


def test_weights_are_given_by_name_or_as_a_file(tmp_path):
    config, weights = pretrained("TSP")
    path = tmp_path / "fast.safetensors"
    save(path, replace(config, reach=0.5), weights)
    assert load_or_pretrained("TSP", "fast")[0] == config
    assert load_or_pretrained("TSP", path)[0].reach == 0.5
    assert load_or_pretrained("TSP", str(path))[0].reach == 0.5


def test_weights_for_the_other_kind_of_problem_are_refused_at_once(tmp_path):
    path = tmp_path / "routes.safetensors"
    save(path, SMALL, arrays(random_policy(SMALL)))
    for source in (path, str(path)):
        with pytest.raises(InputError, match="for CVRP, the problem is a TSP: use weights"):
            load_or_pretrained("TSP", source)
        with pytest.raises(InputError, match="for CVRP, the problem is a TSP"):
            NativePolicy.load(generate_tsp(20), source)
    assert NativePolicy.load(generate_cvrp(20), path).config == SMALL


@pytest.mark.parametrize("source", ["", 3, None, b"fast", Path(), Path("x" * 5_000), "no.bin"])
def test_what_names_no_weights_is_an_error(source):
    with pytest.raises(InputError):
        load_or_pretrained("TSP", source)


def test_a_claim_of_millions_of_layers_is_refused_by_its_name(tmp_path):
    path = tmp_path / "a.safetensors"
    save(path, SMALL, arrays(random_policy(SMALL)))
    beside = path.with_suffix(".json")
    whole = beside.read_text()
    for text in (
        json.dumps(json.loads(whole) | {"layers": 10_000_000}),
        whole + " " * 100_000,
        "\ud800",
    ):
        beside.write_text(text, errors="surrogatepass")
        with pytest.raises(InputError, match=r"a\.json"):
            load(path)


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300])
def test_weights_that_are_not_finite_are_not_written(tmp_path, value):
    weights = {name: array.astype(float) for name, array in arrays(random_policy(SMALL)).items()}
    weights["encoder.bias"][3] = value
    with pytest.raises(InputError, match=r"encoder\.bias"):
        save(tmp_path / "a.safetensors", SMALL, weights)
    assert list(tmp_path.iterdir()) == []
