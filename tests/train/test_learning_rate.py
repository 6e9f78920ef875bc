import math

import pytest

from sil.train.checkpoint import Position
from sil.train.config import Optimiser, Schedule, Stage
from sil.train.learning_rate import learning_rate

STAGE = Stage(nodes=9, instances=1, episodes=2, epochs=5, states=100, improve={}, rate=0.1)


def test_decay_multiplies_by_a_factor_per_epoch():
    settings = Optimiser(decay=0.5)
    assert learning_rate(STAGE, settings, Position(seen=50)) == 0.1
    at = Position(episode=1, epoch=2)
    assert learning_rate(STAGE, settings, at) == pytest.approx(0.1 * 0.5**7)


def test_a_cosine_falls_to_zero_at_the_end_of_the_stage():
    settings = Optimiser(schedule=Schedule.COSINE)
    assert learning_rate(STAGE, settings, Position()) == 0.1
    assert learning_rate(STAGE, settings, Position(episode=1)) == pytest.approx(0.05)
    quarter = Position(epoch=2, seen=50)
    expected = 0.05 * (1 + math.cos(math.pi / 4))
    assert learning_rate(STAGE, settings, quarter) == pytest.approx(expected)
    last = Position(episode=1, epoch=4, seen=100)
    assert learning_rate(STAGE, settings, last) == pytest.approx(0.0, abs=1e-12)


def test_a_ramp_counts_the_steps_of_the_stage():
    settings = Optimiser(ramp=4)
    rates = [
        learning_rate(STAGE, settings, Position(total_steps=70 + step, steps_before=70))
        for step in range(6)
    ]
    assert rates == pytest.approx([0.025, 0.05, 0.075, 0.1, 0.1, 0.1])


def test_each_rollback_halves_it():
    assert learning_rate(STAGE, Optimiser(), Position(rollbacks=2)) == pytest.approx(0.025)
