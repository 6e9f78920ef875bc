import pytest

from sil import InputError
from sil.train.log import read_log, write_log
from sil.train.report import save_training_picture
from tests.train.test_display import ROW

ROWS = [
    ROW | {"stage": stage, "nodes": nodes, "episode": episode, "epoch": epoch}
    for stage, nodes in ((1, 100), (2, 1000))
    for episode, epoch in ((0, 0), (1, 1), (1, 2), (2, 1))
]


def test_a_log_comes_back(tmp_path):
    write_log(tmp_path, ROWS)
    assert [row["episode"] for row in read_log(tmp_path)] == [0, 1, 1, 2] * 2


def test_a_picture_is_drawn(tmp_path):
    write_log(tmp_path, ROWS)
    path = save_training_picture(tmp_path)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_a_folder_without_a_log_is_an_error(tmp_path):
    with pytest.raises(InputError, match="no log"):
        save_training_picture(tmp_path)
