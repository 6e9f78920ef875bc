import json

import numpy as np
import pytest

from sil import InputError, Metric, Problem, Solution, read, write_solution


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


def test_a_line_is_divided_at_the_date_line_and_has_the_ids(tmp_path):
    coords = [[0.0, 179.0], [0.0, -179.0], [1.0, 179.5]]
    problem = Problem(coords, [0, 1, 1], 2, Metric.HAVERSINE, names=["depot", "A", "B"])
    write_solution(tmp_path / "a.geojson", Solution.from_routes([[1, 2]]), problem)
    (line,) = json.loads((tmp_path / "a.geojson").read_text())["features"]
    assert line["properties"]["ids"] == ["A", "B"]
    pieces = line["geometry"]["coordinates"]
    assert pieces[0] == [[179, 0], [180, 0]]
    assert pieces[1][:2] == [[-180, 0], [-179, 0]]
    assert len(pieces) == 3


def test_points_are_a_problem(tmp_path):
    path = tmp_path / "shops.geojson"
    points = [
        {
            "type": "Feature",
            "geometry": {"type": "Point", "coordinates": [7.5 + i, 45.0]},
            "properties": {"name": f"shop {i}", "demand": i, "lat": "ignored"},
        }
        for i in range(3)
    ]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": points}))
    problem = read(path, capacity=5, depot="shop 0")
    assert problem.metric is Metric.HAVERSINE
    assert problem.coords[1].tolist() == [45.0, 8.5]
    assert problem.names.tolist() == ["shop 0", "shop 1", "shop 2"]
    points[2]["geometry"]["coordinates"] = [200.0, 45.0]
    path.write_text(json.dumps({"features": points}))
    with pytest.raises(InputError, match="feature 3, column 'lon'"):
        read(path, capacity=5)


@pytest.mark.parametrize(
    "content",
    [
        "[]",
        "{",
        '{"features": 3}',
        '{"features": [1]}',
        '{"features": [{"geometry": null}]}',
        '{"features": [{"geometry": {"type": "Point", "coordinates": ["1", 2]}}]}',
    ],
)
def test_other_json_is_refused(tmp_path, content):
    (tmp_path / "a.geojson").write_text(content)
    with pytest.raises(InputError):
        read(tmp_path / "a.geojson")
