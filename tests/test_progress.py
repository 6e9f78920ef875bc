import time

import numpy as np

import sil
from sil import MaxIterations, MaxRuntime, NoImprovement, TargetCost, progress
from sil._native import Interrupt
from sil.partial import PartialSolutions


def test_lines_come_inside_a_round_too(monkeypatch, capsys):
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", 0.02)
    with progress.show_progress(TargetCost(0), Interrupt()) as callback:
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


def test_a_long_round_shows_how_far_it_is_through_solve(monkeypatch, capsys):
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", 0.05)
    problem, interrupt, stop = sil.generate_tsp(50_000), Interrupt(), MaxIterations(1)
    with progress.show_progress(stop, interrupt) as callback:
        sil.solve(problem, stop, method="search", callback=callback, interrupt=interrupt)
    assert "next round " in capsys.readouterr().err


def test_the_bar_knows_every_limit():
    def done(stop):
        return progress._Report(stop, Interrupt()).done

    assert 0 <= done(MaxRuntime(100)) < 0.1
    assert 0 <= done(NoImprovement(3) | MaxRuntime(100)) < 0.1
    rounds = MaxIterations(4) | MaxRuntime(100)
    for _ in range(3):
        rounds(1.0)
    assert done(rounds) == 0.75
    assert done(NoImprovement(3)) is None
