import math
from dataclasses import replace

import pytest

from sil.train.checkpoint import Position
from sil.train.display import TensorBoardDisplay, TerminalDisplay
from tests.train.runs import ROW, Recorded


def test_rows_stand_under_their_titles(capsys):
    with TerminalDisplay() as display:
        display.row(ROW)
        display.row(replace(ROW, loss=math.nan, best=False))
    titles, first, second = capsys.readouterr().err.splitlines()
    assert "PRC10 gap" in titles
    assert "95.12%" in first
    assert "3.21 %" in first
    assert first.endswith("best")
    assert "nan" not in second
    assert titles.index("loss") + 4 == first.index("0.1234") + 6


def test_long_work_is_told_now_and_then_with_the_time_left(capsys, monkeypatch):
    monkeypatch.setattr("sil.train.display._SECONDS_BETWEEN_LINES", -1.0)
    clock = iter([0.0, 0.0, 60.0, 100.0, 110.0])
    monkeypatch.setattr("sil.train.display.time.perf_counter", lambda: next(clock))
    with TerminalDisplay() as display:
        display.status("improving", 0.0)
        display.status("improving", 0.75, "3 of 4")
        display.status("training", 0.5)  # half was done before an interruption
        display.status("training", 0.6)
    assert capsys.readouterr().err.splitlines() == [
        "improving, 0%",
        "improving, 3 of 4, 75%, 20 s left",
        "training, 50%",
        "training, 60%, 40 s left",
    ]


def test_a_resumed_run_shows_what_it_has(capsys):
    with TerminalDisplay() as display:
        display.resumed(Position(stage=0, episode=1, epoch=2, history=[ROW]))
    text = capsys.readouterr().err
    assert "Resuming at stage 1, episode 2, epoch 3." in text
    assert "9.87 %" in text


def test_tensorboard_gets_the_rows_and_passes_everything_on(tmp_path):
    pytest.importorskip("tensorboard")
    shown = Recorded()
    display = TensorBoardDisplay(shown, tmp_path)
    display.row(ROW)
    display.say("a")
    display.status("b")
    assert shown.rows == [ROW]
    assert shown.said == ["a"]
    assert shown.statuses == ["b"]
    assert list((tmp_path / "tensorboard").iterdir())
