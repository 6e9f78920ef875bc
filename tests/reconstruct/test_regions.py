import numpy as np
import pytest

from sil.reconstruct.regions import divide


@pytest.mark.parametrize("count", [1, 2, 3, 7, 16])
def test_regions_are_compact_and_about_equal(count):
    points = np.random.default_rng(0).random((4_000, 2))
    region = divide(points, np.ones(4_000), count, np.random.default_rng(1))
    sizes = np.bincount(region, minlength=count)
    assert len(sizes) == count
    assert sizes.min() > 0.3 * 4_000 / count
    assert sizes.max() < 2.5 * 4_000 / count
    # A region of its share of the square is no wider than a few times the root of that share.
    for number in range(count):
        extent = np.ptp(points[region == number], axis=0).max()
        assert extent < 3 / np.sqrt(count)


def test_borders_move_from_round_to_round():
    points = np.random.default_rng(0).random((500, 2))
    rng = np.random.default_rng(1)
    first, second = (divide(points, np.ones(500), 2, rng) for _ in range(2))
    together = (first[:, None] == first) & (second[:, None] != second)
    assert together.any()


def test_weights_count():
    points = np.stack([np.linspace(0, 1, 100), np.zeros(100)], axis=1)
    weights = np.where(points[:, 0] < 0.5, 9.0, 1.0)
    region = divide(points, weights, 2, np.random.default_rng(0))
    heavy = max(weights[region == number].sum() for number in (0, 1))
    assert heavy < 0.7 * weights.sum()


def test_equal_points_and_more_regions_than_points():
    region = divide(np.zeros((5, 2)), np.ones(5), 8, np.random.default_rng(0))
    assert ((region >= 0) & (region < 8)).all()


def test_equal_points_are_divided_too():
    points = np.random.default_rng(0).random((4_000, 2))
    points[1_000:] = 0.5
    region = divide(points, np.ones(4_000), 16, np.random.default_rng(1))
    assert np.bincount(region, minlength=16).max() < 2.5 * 4_000 / 16
