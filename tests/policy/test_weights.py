from dataclasses import replace

import pytest

from sil import InputError
from sil.policy.config import Attention, PolicyConfig
from sil.policy.weights import load, load_or_pretrained, pretrained, save, shapes
from tests.policy.networks import arrays, random_policy

SMALL = PolicyConfig("CVRP", dim=16, layers=1, heads=2, feed_forward=16, representatives=3)


@pytest.mark.parametrize("attention", list(Attention))
def test_the_model_has_the_weights_that_we_say(attention):
    config = PolicyConfig("CVRP", 32, 2, 2, 48, 4, attention=attention)
    found = {name: value.shape for name, value in arrays(random_policy(config)).items()}
    assert found == shapes(config)


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
    with pytest.raises(InputError, match="there are fast"):
        pretrained(problem, "huge")


def test_weights_are_given_by_name_or_as_a_file(tmp_path):
    config, weights = pretrained("TSP")
    path = tmp_path / "fast.safetensors"
    save(path, replace(config, reach=0.5), weights)
    assert load_or_pretrained("TSP", "fast")[0] == config
    assert load_or_pretrained("TSP", path)[0].reach == 0.5
    assert load_or_pretrained("TSP", str(path))[0].reach == 0.5
