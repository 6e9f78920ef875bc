import math
from dataclasses import replace

import torch

from sil.train.checkpoint import Checkpoint, Position
from tests.train.runs import ROW


def test_a_checkpoint_comes_back(tmp_path):
    history = [ROW, replace(ROW, loss=math.inf, best=False)]
    kept = Checkpoint(
        Position(stage=1, episode=2, seen=7, best=0.5, history=history),
        {"weight": torch.arange(3.0)},
        {"policy": {"weight": torch.ones(2)}},
    )
    kept.save(tmp_path / "checkpoint.pt")
    found = Checkpoint.load(tmp_path / "checkpoint.pt")
    assert found.progress == kept.progress
    assert torch.equal(found.best_weights["weight"], torch.arange(3.0))
    assert torch.equal(found.fitter["policy"]["weight"], torch.ones(2))


def test_the_file_holds_plain_numbers_only(tmp_path):
    # So that it can be read without running any code, and by older and newer versions.
    Checkpoint(Position(history=[ROW]), {}, {}).save(tmp_path / "checkpoint.pt")
    values = torch.load(tmp_path / "checkpoint.pt", weights_only=True)
    (row,) = values["progress"]["history"]
    assert row == ROW.values()
    assert type(row["best"]) is int
