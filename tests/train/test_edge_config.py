"""The configuration of a run that learns edges."""

import pytest

from sil.errors import InputError
from sil.train.config import load_config, parse_config
from sil.train.edge_config import EdgeConfig


def test_the_shipped_one_is_read():
    assert isinstance(load_config("edges"), EdgeConfig)


def test_values_are_read_from_text():
    found = parse_config('learn = "edges"\ntours = 5\nrate = 1')
    assert found == EdgeConfig(tours=5, rate=1.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('learn = "routes"', "choose from edges"),
        ('learn = "edges"\ncycles = 0', "cycles is 0"),
        ('learn = "edges"\nwidth = 17', "width is 17"),
        ('learn = "edges"\nleast_nodes = 16', "least_nodes is 16"),
        ('learn = "edges"\nleast_nodes = 90\nmost_nodes = 80', "larger than most_nodes"),
        ('learn = "edges"\nrate = nan', "rate is"),
        ('learn = "edges"\ntours = 1.5', "tours is 1.5"),
        ('learn = "edges"\nstages = []', "unknown: stages"),
    ],
)
def test_bad_values_are_refused(text, message):
    with pytest.raises(InputError, match=message):
        parse_config(text)
