"""Maps to learn edges from."""

import numpy as np

from sil.train.maps import random_map


def test_maps_have_the_sizes_asked_for_and_follow_from_the_seed():
    for seed in range(20):
        found, again = (random_map(50, 60, np.random.default_rng(seed)) for _ in range(2))
        assert 50 <= found.dimension <= 60
        assert found.kind == "TSP"
        assert np.array_equal(found.coords, again.coords)


def test_maps_are_of_many_kinds():
    nearest, equal = [], []
    for seed in range(40):
        points = random_map(200, 200, np.random.default_rng(seed)).coords
        apart = np.linalg.norm(points[:, None] - points[None], axis=2)
        np.fill_diagonal(apart, np.inf)
        nearest.append(np.median(apart.min(axis=1)) / np.ptp(points))
        equal.append((apart.min(axis=1) == 0).mean())
    assert max(nearest) > 5 * min(nearest)  # even and clustered
    assert max(equal) > 0.1  # on a grid
    assert np.mean(np.array(equal) == 0) > 0.5
