import numpy as np
import pytest

from sil.metric import Metric, distance, longest_distance

PLACES = np.array([[0.0, 0.0], [3.0, 4.0], [0.3, 0.4], [7.25, 1.5]])


@pytest.mark.parametrize("metric", [metric for metric in Metric if metric is not Metric.EXPLICIT])
def test_no_distance_is_longer_than_the_bound(metric):
    apart = distance(metric, PLACES[:, None], PLACES[None])
    assert apart.shape == (4, 4)
    assert apart.max() <= longest_distance(metric, PLACES, 1.0)


def test_rounded_metrics_round_the_euclidean_distance():
    exact = distance(Metric.EUCLIDEAN, PLACES[0], PLACES)
    assert exact == pytest.approx([0, 5, 0.5, np.hypot(7.25, 1.5)])
    assert (distance(Metric.CEIL_2D, PLACES[0], PLACES) == np.ceil(exact)).all()
    assert (distance(Metric.EUC_2D, PLACES[0], PLACES) == [0, 5, 1, 7]).all()
