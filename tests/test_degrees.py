import numpy as np
import pytest

from sil import Metric, Problem, generate_tsp
from sil.degrees import degrees_hint

RNG = np.random.default_rng(0)
UNIT = RNG.random((200, 2))
TOWN = np.round([13.4, 52.5] + 0.2 * UNIT, 5)
COUNTRY = np.round([-5.0, 42.0] + [13.0, 9.0] * UNIT, 4)


@pytest.mark.parametrize(
    ("coords", "metric"),
    [
        (TOWN, "EUCLIDEAN"),
        (TOWN, "EUC_2D"),
        (TOWN[:, ::-1], "EUCLIDEAN"),
        ([13.4, 52.5] + 0.2 * UNIT, "EUCLIDEAN"),
        (np.round([-0.2, 51.3] + 0.4 * UNIT, 3), "EUCLIDEAN"),
        (COUNTRY, "EUCLIDEAN"),
    ],
)
def test_degrees_are_told(coords, metric):
    hint = degrees_hint(Problem(coords, metric=metric))
    assert "look like longitude and latitude" in hint
    assert metric in hint


@pytest.mark.parametrize(
    ("coords", "metric"),
    [
        (UNIT, "EUCLIDEAN"),
        (np.round(UNIT, 4), "EUCLIDEAN"),
        (0.5 + 0.01 * UNIT, "EUCLIDEAN"),
        (2 * UNIT - 1, "EUCLIDEAN"),
        (100 * UNIT, "EUCLIDEAN"),
        (np.round(100 * UNIT), "EUC_2D"),
        (np.round(100 * UNIT, 2), "EUC_2D"),
        (np.round(80 * UNIT - 40, 4), "EUC_2D"),
        (1000 * UNIT, "EUC_2D"),
        (np.tile(TOWN[0], (9, 1)), "EUC_2D"),
        (TOWN[:2], "EUCLIDEAN"),
        (np.trunc(np.abs(COUNTRY)) + 0.3, "GEO"),
    ],
)
def test_points_in_a_plane_are_left_alone(coords, metric):
    assert degrees_hint(Problem(coords, metric=metric)) is None


def test_random_instances_and_matrices_are_left_alone():
    assert degrees_hint(generate_tsp(100, distribution="clustered")) is None
    problem = Problem(TOWN, metric=Metric.EXPLICIT, matrix=np.zeros((200, 200)))
    assert degrees_hint(problem) is None
