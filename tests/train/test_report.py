from dataclasses import replace

import pytest

from sil import InputError
from sil.io.records import columns
from sil.train.log import LogRow, write_log
from sil.train.report import save_training_picture
from tests.train.runs import ROW

ROWS = [
    replace(ROW, stage=stage, nodes=nodes, episode=episode, epoch=epoch)
    for stage, nodes in ((1, 100), (2, 1000))
    for episode, epoch in ((0, 0), (1, 1), (1, 2), (2, 1))
]


def test_a_picture_is_drawn(tmp_path):
    write_log(tmp_path, ROWS)
    path = save_training_picture(tmp_path)
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", ["$\\foo$", "a\nb", "[b]\x1b", "..", "x" * 200])
def test_any_name_of_a_folder_can_be_written_into_the_picture(tmp_path, name):
    folder = tmp_path / "deep" / name
    folder.mkdir(parents=True, exist_ok=True)
    write_log(folder, ROWS)
    assert save_training_picture(folder).exists()


def test_an_empty_log_draws_nothing(tmp_path):
    (tmp_path / "log.csv").write_text(",".join(columns(LogRow)) + "\n")
    with pytest.raises(InputError, match="no rows yet"):
        save_training_picture(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["log.csv"]


def test_a_folder_without_a_log_is_an_error(tmp_path):
    with pytest.raises(InputError, match="no log"):
        save_training_picture(tmp_path)
