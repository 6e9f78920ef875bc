import json

import numpy as np
import pytest

from sil import Metric, Problem, Solution, write_solution


def test_routes_become_lines_through_the_depot(tmp_path):
    problem = Problem(np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]]), [0, 2, 3], 5, name="p")
    write_solution(tmp_path / "a.geojson", Solution.from_routes([[1], [2]]), problem)
    collection = json.loads((tmp_path / "a.geojson").read_text())
    assert collection["type"] == "FeatureCollection"
    second = collection["features"][1]
    assert second["geometry"]["coordinates"] == [[0, 0], [6, 8], [0, 0]]
    assert second["properties"] == {"route": 2, "nodes": 1, "length": 20.0, "load": 3}


def test_geographical_coordinates_become_degrees(tmp_path):
    problem = Problem(np.array([[48.30, 2.15], [50.0, 3.0]]), metric=Metric.GEO)
    write_solution(tmp_path / "a.geojson", Solution([0, 1]), problem)
    (feature,) = json.loads((tmp_path / "a.geojson").read_text())["features"]
    assert feature["geometry"]["coordinates"][0] == pytest.approx([2.25, 48.5], abs=1e-4)
    assert len(feature["geometry"]["coordinates"]) == 3
