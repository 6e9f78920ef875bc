import json

import numpy as np
import pytest

from sil import InputError, generate_cvrp, generate_tsp, io
from sil.serve.job import Folder
from sil.serve.options import FieldError
from sil.serve.reading import read_upload
from tests.serve.running import as_json
from tests.serve.test_vroom import request

LIMITS = {"max_nodes": 1000, "max_matrix": 20, "max_bytes": 100_000, "max_runtime": 100.0}


@pytest.fixture
def read(tmp_path):
    """Have an upload read."""

    def make(name: str, content: bytes | str, **options):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_upload(path, "my stops", options, Folder(tmp_path), LIMITS)

    return make


@pytest.mark.parametrize("ending", [".npz", ".json", ".vrp"])
def test_every_format_becomes_a_job(read, tmp_path, ending):
    problem = generate_cvrp(30)
    if ending == ".vrp":
        coords = np.round(1000 * problem.coords)
        problem = type(problem)(coords, problem.demand, problem.capacity, "EUC_2D", name="x")
    io.write(tmp_path / f"source{ending}", problem)
    told = read(f"upload{ending}", (tmp_path / f"source{ending}").read_bytes(), seed="3")
    assert (told["kind"], told["nodes"], told["seed"], told["cost"]) == ("CVRP", 30, 3, None)
    assert io.read(Folder(tmp_path).problem) == problem
    assert Folder(tmp_path).points.exists()


def test_a_table_needs_a_capacity_if_it_has_demands(read):
    with pytest.raises(FieldError, match="is missing") as caught:
        read("a.csv", "x,y,demand\n0,0,0\n1,1,3\n")
    assert caught.value.field == "capacity"
    assert read("a.csv", "x,y,demand\n0,0,0\n1,1,3\n", capacity="5")["kind"] == "CVRP"
    assert read("a.csv", "x,y\n0,0\n1,1\n2,2\n")["name"] == "my stops"


def test_options_may_stand_beside_the_problem(read, tmp_path):
    values = {"problem": as_json(generate_cvrp(4, capacity=99)), "initial": [[1, 2], [3, 4]]}
    told = read("a.json", json.dumps(values | {"method": "search", "max_runtime": 7}))
    assert (told["method"], told["max_runtime"], told["routes"]) == ("search", 7, 2)
    assert told["cost"] == told["start_cost"] > 0
    assert Folder(tmp_path).routes.exists()


def test_a_request_of_vroom_becomes_a_job(read, tmp_path):
    told = read("a.json", json.dumps(request()))
    assert told["is_vroom"]
    assert Folder(tmp_path).vroom.exists()


@pytest.mark.parametrize(
    ("name", "content", "field", "says"),
    [
        ("a.csv", "a,b\n", "file", "line 1"),
        ("a.vrp", "rubbish", "file", "line 1"),
        ("a.npz", b"rubbish", "file", "not a complete npz"),
        ("a.json", "{", "body", "not valid json"),
        ("a.json", "[" * 100_000, "body", "not valid json"),
        ("a.json", '{"locs": [[0, 0]], "locs": []}', "body", "twice"),
        ("a.json", '{"locs": [[0, 0], [1, 1]], "weights": 1}', "problem", "weights"),
        ("a.json", '{"problem": {"locs": [[0, 0], [1, 1]]}, "x": 1}', "x", "not supported"),
        ("a.json", '{"problem": 3}', "problem", "object"),
        ("a.json", "3", "problem", "object"),
    ],
)
def test_bad_uploads_are_refused_with_the_field(read, tmp_path, name, content, field, says):
    with pytest.raises(Exception, match=says) as caught:
        read(name, content)
    assert getattr(caught.value, "field", "body") == field
    assert str(tmp_path) not in str(caught.value) or field == "body"
    assert not Folder(tmp_path).problem.exists()


def test_limits_hold(read, tmp_path):
    with pytest.raises(FieldError, match="this service allows 1,000"):
        read("a.json", json.dumps(as_json(generate_tsp(1001))))
    matrix = np.ones((21, 21)).tolist()
    with pytest.raises(FieldError, match="this service allows 20"):
        read("a.json", json.dumps({"matrix": matrix, "metric": "EXPLICIT"}))
    np.savez_compressed(tmp_path / "bomb.npz", locs=np.zeros((900, 20)))
    with pytest.raises(FieldError, match="would unpack to"):
        read("b.npz", (tmp_path / "bomb.npz").read_bytes())


@pytest.mark.parametrize("routes", [[[1]], [[1, 2, 3, 4], [1]], [[1, 2, 3, 4, 5]]])
def test_a_start_must_be_valid(read, routes):
    values = {"problem": as_json(generate_cvrp(4)), "initial": routes}
    with pytest.raises(FieldError) as caught:
        read("a.json", json.dumps(values))
    assert caught.value.field == "initial"


def test_a_tour_may_be_the_start(read):
    values = {"problem": as_json(generate_tsp(4)), "initial": [[2, 0, 1, 3]]}
    assert read("a.json", json.dumps(values))["routes"] == 1
    with pytest.raises(FieldError, match="one list of all nodes"):
        read("a.json", json.dumps(values | {"initial": [[2, 0], [1, 3]]}))


def test_a_method_that_does_not_fit_is_refused(read, monkeypatch):
    def refuse(*_):
        raise InputError("not for this kind of problem")

    monkeypatch.setattr("sil.serve.reading.method_named", refuse)
    with pytest.raises(FieldError, match="not for this kind") as caught:
        read("a.json", json.dumps(as_json(generate_tsp(4))))
    assert caught.value.field == "method"
