import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sil import InputError, Metric, Problem
from sil.neighbours import nearest
from sil.sphere import EARTH_RADIUS, great_circle, projected

places = st.tuples(st.floats(-90, 90), st.floats(-180, 180))


def by_vectors(a, b):
    """The angle between two unit vectors, after Kahan: accurate for all angles."""
    u, v = (
        np.array([math.cos(lat) * math.cos(lon), math.cos(lat) * math.sin(lon), math.sin(lat)])
        for lat, lon in np.radians([a, b])
    )
    return EARTH_RADIUS * 2 * math.atan2(np.linalg.norm(u - v), np.linalg.norm(u + v))


@given(places, places)
def test_distances_agree_with_another_formula_and_with_native_code(a, b):
    expected = by_vectors(a, b)
    problem = Problem([a, b], metric=Metric.HAVERSINE)
    # Vectors in double precision are exact to a few nanometres.
    for found in (problem.distance(0, 1), problem.instance.distance(0, 1)):
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-7)


@pytest.mark.parametrize(
    ("a", "b", "degrees"),
    [
        ((0, 0), (0, 180), 180),  # opposite
        ((90, 0), (-90, 77), 180),
        ((0, 179.5), (0, -179.5), 1),  # across the date line
        ((89.5, 0), (89.5, 180), 1),  # across the pole
        ((90, 10), (90, -60), 0),
        ((45, 7), (45 + 1e-6, 7), 1e-6),
    ],
)
def test_known_distances(a, b, degrees):
    metres = great_circle(np.array(a, dtype=float), np.array(b, dtype=float))
    assert metres == pytest.approx(EARTH_RADIUS * math.radians(degrees), rel=1e-9, abs=1e-6)


@given(places, st.integers(0, 99))
def test_a_map_of_a_small_area_has_true_distances_wherever_it_lies(middle, seed):
    away = np.random.default_rng(seed).normal(0, 0.1, (20, 2))  # degrees: some ten kilometres
    latitude = np.clip(middle[0] + away[:, 0], -90, 90)
    longitude = middle[1] + away[:, 1] / max(0.002, math.cos(math.radians(middle[0])))
    area = np.stack([latitude, (longitude + 180) % 360 - 180], axis=1)
    seen = projected(area)
    apart = np.linalg.norm(seen[:, None] - seen[None], axis=2)
    true = great_circle(area[:, None], area[None])
    assert np.allclose(apart, true, rtol=2e-3, atol=1e-3)


def test_east_is_to_the_right_and_north_is_up():
    x, y = projected(np.array([[46.0, 10.0], [46.0, 10.1], [46.1, 10.0]])).T
    assert x[1] > x[0]
    assert y[2] > y[0]


def test_places_all_around_the_globe_have_a_map_too():
    around = np.array([[0, 0], [0, 90], [0, 180], [0, -90], [90, 0], [-90, 0.0]])
    assert np.isfinite(projected(around)).all()


@pytest.mark.parametrize("middle", [(0.0, 180.0), (89.0, 40.0), (-90.0, 0.0), (52.0, 13.0)])
def test_neighbours_are_right_at_the_date_line_and_near_the_poles(middle):

    rng = np.random.default_rng(0)
    latitude = np.clip(middle[0] + rng.normal(0, 1, 300), -90, 90)
    longitude = middle[1] + rng.normal(0, 1, 300) * (60 if abs(middle[0]) > 80 else 1)
    coords = np.stack([latitude, (longitude + 180) % 360 - 180], axis=1)
    problem = Problem(coords, metric=Metric.HAVERSINE)
    everyone = np.arange(300)
    apart = problem.distance(everyone[:, None], everyone[None])
    expected = np.sort(apart, axis=1)[:, 1:9]
    found = problem.distance(everyone[:, None], nearest(problem, 8).lists)
    assert np.allclose(found, expected, rtol=1e-9)


def test_a_detour_only_scales():
    coords = [[45.0, 7.0], [45.1, 7.1], [45.2, 7.0]]
    straight = Problem(coords, metric=Metric.HAVERSINE)
    roads = Problem(coords, metric=Metric.HAVERSINE, detour=1.3)
    assert roads.distance(0, 1) == pytest.approx(1.3 * straight.distance(0, 1))
    assert roads.instance.distance(0, 2) == pytest.approx(1.3 * straight.distance(0, 2))
    assert roads != straight


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"coords": [[7.0, 45.0], [120.0, 45.0]]}, "latitude and longitude"),
        ({"coords": [[7.0, 181.0]]}, "node 0"),
        ({"coords": [[1.0, 1.0]], "detour": 0}, "detour is 0"),
        ({"coords": [[1.0, 1.0]], "detour": math.nan}, "detour is nan"),
        ({"coords": [[1.0, 1.0]], "detour": 1.2, "metric": "EUC_2D"}, "for the metric HAVERSINE"),
    ],
)
def test_what_is_not_on_the_earth_is_refused(arguments, message):

    with pytest.raises(InputError, match=message):
        Problem(**{"metric": "HAVERSINE", **arguments})
