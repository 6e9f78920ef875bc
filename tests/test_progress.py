import time

import numpy as np

import sil
from sil import progress
from sil._native import Interrupt
from sil.segments import PartialSolutions


def test_lines_come_inside_a_round_too(monkeypatch, capsys):
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", 0.02)
    with progress.show_progress(None, Interrupt()) as callback:
        callback(sil.Progress(0, 0.0, 12.5))
        time.sleep(0.3)
        callback(sil.Progress(1, 0.3, 11))
        time.sleep(0.3)
    lines = capsys.readouterr().err.splitlines()
    assert "round 0, cost 12.5000" in lines[0]
    assert len(lines) > 3
    assert "round 1, cost 11" in lines[-1]


def test_native_work_tells_how_far_it_is():
    problem = sil.generate_tsp(400)
    interrupt = Interrupt()
    assert interrupt.fraction == 0
    parts = PartialSolutions(np.reshape(problem.nodes, (100, 4)))
    sil.ExactReconstructor().reconstruct(problem, parts, 0, 2, interrupt)
    assert interrupt.fraction == 1
