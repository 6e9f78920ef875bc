"""Fitting the edge network."""

import numpy as np
import pytest

import sil
from sil import Interrupt
from sil._native import EDGE_CANDIDATES, EDGE_FEATURES
from sil.errors import StoppedError
from sil.train.edge_config import EdgeConfig
from sil.train.edge_fit import examples_of, fit, loss_of

CONFIG = EdgeConfig(epochs=10, batch=64)


def circle_examples(count: int = 300):
    """Nodes on a circle: the two nearest are beside each."""
    angles = np.sort(np.random.default_rng(0).uniform(0, 2 * np.pi, count))
    problem = sil.Problem(np.c_[np.cos(angles), np.sin(angles)])
    return examples_of(problem, sil.Solution(np.arange(count)))


def test_examples_say_who_is_beside_a_node():
    problem = sil.generate_tsp(60, 1)
    tour = sil.construct(problem, "greedy")
    features, is_beside = examples_of(problem, tour)
    assert features.shape == (60, EDGE_CANDIDATES * EDGE_FEATURES)
    assert is_beside.shape == (60, EDGE_CANDIDATES)
    assert np.all(is_beside.sum(axis=1) <= 2)
    assert is_beside.sum() > 100  # of 120: greedy tours have few long edges


def test_it_learns_and_takes_features_as_they_are():
    examples = circle_examples()
    constant = -np.mean([p * np.log(p) + (1 - p) * np.log(1 - p) for p in [2 / 16]])
    layers = fit(examples, CONFIG, 0, Interrupt())
    assert loss_of(layers, examples) < constant / 3


def test_equal_seeds_give_equal_networks():
    examples = circle_examples()
    first, again, other = (fit(examples, CONFIG, seed, Interrupt()) for seed in (1, 1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[0], other[0])


def test_an_interrupt_stops_it():
    interrupt = Interrupt()
    interrupt.set()
    with pytest.raises(StoppedError):
        fit(circle_examples(), CONFIG, 0, interrupt)
