import json
from pathlib import Path

import pytest

import sil
from sil.cli.rescue import rescue
from sil.errors import InputError


@pytest.fixture
def result(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return sil.solve(sil.generate_tsp(20), sil.MaxIterations(1))


def test_a_solution_is_saved_beside_its_place_if_possible(result, tmp_path):
    out = tmp_path / "below" / "a.tour"
    out.parent.mkdir()
    error = rescue(out, result, InputError("disk full"))
    assert str(error).startswith("disk full. ")
    assert sil.read_solution(out.parent / "rescued-a.tour") == result.best


def test_a_solution_without_its_place_is_saved_elsewhere(result, tmp_path):
    (tmp_path / "rescued-a.tour").write_text("not ours")
    error = rescue(tmp_path / "gone" / "a.tour", result, InputError("no folder"))
    assert "rescued-a-1.tour" in str(error)
    assert sil.read_solution(tmp_path / "rescued-a-1.tour") == result.best
    assert (tmp_path / "rescued-a.tour").read_text() == "not ours"


def test_a_solution_is_printed_if_nothing_can_be_written(result, monkeypatch, capsys):
    def refuse(*_):
        raise InputError("no")

    monkeypatch.setattr("sil.cli.rescue.io.write_solution", refuse)
    error = rescue(Path("a.tour"), result, InputError("disk full"))
    assert "printed instead" in str(error)
    assert json.loads(capsys.readouterr().out)["routes"] == [result.best.nodes.tolist()]
