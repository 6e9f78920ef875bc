import json

from tests.cli.command import run

TOWN = "x,y\n13.40512,52.52001\n13.37769,52.51628\n13.45433,52.50504\n"


def test_degrees_get_a_note(tmp_path):
    path = tmp_path / "town.csv"
    path.write_text(TOWN)
    assert "note: the coordinates look like longitude" in run("info", path).stderr
    done = run("info", path, "--json")
    assert json.loads(done.stdout)["nodes"] == 3
    assert "note" in done.stderr


def test_a_plane_gets_none(tmp_path):
    run("generate", "tsp", "--size", 50, "--out", tmp_path / "a.npz")
    assert run("info", tmp_path / "a.npz").stderr == ""


def test_total_demand_is_right(tmp_path):
    path = tmp_path / "a.json"
    values = {"locs": [[0, 0], [1, 1]], "depot": [0, 0], "demand": [2**52, 2**52 - 1]}
    path.write_text(json.dumps(values | {"capacity": 2**53 - 1}))
    facts = json.loads(run("info", path, "--json").stdout)
    assert (facts["demand"], facts["fewest routes"]) == (2**53 - 1, 1)
    values["demand"] = [2**52, 2**52]
    path.write_text(json.dumps(values | {"capacity": 2**53 - 1}))
    assert "the demands add up to" in run("info", path, code=2).stderr


def test_what_a_file_or_its_name_holds_cannot_write_to_the_terminal(tmp_path):
    path = tmp_path / "a\x1b[31m\nb.csv"
    path.write_text("x,y\n0,0\n1,1\n")
    assert "a_[31m_b" in run("info", path).stdout
    for text in ("x,y\n0,\x1b[2J\n", "\x1b[2J\n"):
        path.write_text(text)
        done = run("info", path, code=2)
        assert "\x1b" not in done.stderr
        assert done.stderr.count("\n") == 1


def test_decimal_degrees_as_geo_are_refused_with_advice(tmp_path):
    path = tmp_path / "a.tsp"
    path.write_text(
        "TYPE : TSP\nDIMENSION : 2\nEDGE_WEIGHT_TYPE : GEO\nNODE_COORD_SECTION\n"
        "1 52.5200 13.4050\n2 48.8566 2.3522\nEOF\n"
    )
    done = run("info", path, code=2)
    assert "degrees.minutes" in done.stderr
    assert "HAVERSINE" in done.stderr
