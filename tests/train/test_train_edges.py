"""Learning edges from Python."""

import pytest

import sil
from sil.errors import InputError
from sil.train.edge_config import EdgeConfig

CONFIG = EdgeConfig(
    cycles=1, tours=2, validation=1, least_nodes=40, most_nodes=50, rounds=1, epochs=1, batch=32
)


def test_a_run_is_started_and_finished(tmp_path):
    result = sil.train_edges(CONFIG, tmp_path / "run", threads=1)
    assert result.finished
    assert result.weights == tmp_path / "run/best.safetensors"
    assert [row.cycle for row in result.history] == [1]


def test_a_time_limit_stops_it(tmp_path):
    result = sil.train_edges(CONFIG, tmp_path, max_runtime=0)
    assert not result.finished
    assert result.weights is None


def test_configurations_of_a_policy_are_refused(tmp_path):
    with pytest.raises(InputError, match="train_policy"):
        sil.train_edges("tiny", tmp_path)
    with pytest.raises(InputError, match="train_edges"):
        sil.train_policy("edges", tmp_path)


@pytest.mark.parametrize("bad", [{"threads": 0}, {"max_runtime": -1}, {"out": 3}])
def test_bad_arguments_are_refused(tmp_path, bad):
    with pytest.raises(InputError):
        sil.train_edges(CONFIG, **{"out": tmp_path, **bad})
