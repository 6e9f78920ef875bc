import numpy as np
import pytest

from sil.serve.lonlat import in_metres


def test_distances_are_about_right():
    # Paris, Notre-Dame to the Arc de Triomphe: 4,790 m on a great circle.
    a, b = in_metres(np.array([[2.3499, 48.8530], [2.2950, 48.8738]]))
    assert np.hypot(*(a - b)) == pytest.approx(4640, rel=0.01)


def test_a_degree_of_latitude_is_the_same_everywhere():
    for latitude in (0, 60):
        a, b = in_metres(np.array([[5.0, latitude], [5.0, latitude + 1]]))
        assert np.hypot(*(a - b)) == pytest.approx(111_195, rel=1e-4)
