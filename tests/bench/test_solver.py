import math

import pytest

from sil.bench.solver import Countdown, Limits
from sil.errors import InputError


@pytest.mark.parametrize(
    "bad",
    [(-1.0, 1, 0), (math.nan, 1, 0), (math.inf, 1, 0), (1.0, 0, 0), (1.0, 2**31, 0), (1.0, 1, -1)],
)
def test_limits_that_make_no_sense_are_an_error(bad):
    with pytest.raises(InputError):
        Limits(*bad)


def test_a_countdown_ends_but_always_leaves_a_little():
    over, running = Countdown(0.0), Countdown(600.0)
    assert over.is_over and not running.is_over
    assert over.left == pytest.approx(0.1)
    assert 0.1 < running.left <= 600
