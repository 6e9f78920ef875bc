import pytest

from sil import InputError
from sil.train.log import COLUMNS, read_log, write_log
from tests.train.test_display import ROW

NAMES = ",".join(COLUMNS)
LINE = ",".join("1" for _ in COLUMNS)


def test_a_log_comes_back(tmp_path):
    assert tuple(ROW) == COLUMNS
    rows = [ROW | {"episode": episode} for episode in (0, 1, 1, 2)]
    write_log(tmp_path, rows)
    assert tuple(read_log(tmp_path)[0]) == COLUMNS
    assert [row["episode"] for row in read_log(tmp_path)] == [0, 1, 1, 2]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "columns are missing: stage, nodes"),
        (b"This is a text.\n\nOf two lines.", "columns are missing"),
        (f"{NAMES}\n".encode(), "no rows yet"),
        (f"{NAMES.replace('prc_gap', 'gap')}\n{LINE}\n".encode(), "columns are missing: prc_gap"),
        (f"{NAMES}\n{LINE}\n{LINE[:-4]}\n".encode(), "in line 3 is None"),
        (f"{NAMES}\n{LINE.replace('1', 'x', 1)}\n".encode(), "stage in line 2 is 'x'"),
        (f'{NAMES}\n{LINE[:-1]}"1\n'.encode(), "this is not the log"),
        (b"\xff\xfe\x00\x01", "this is not the log"),
        (b"a" * 200_000, "this is not the log"),
    ],
)
def test_what_is_no_log_is_refused(tmp_path, content, says):
    (tmp_path / "log.csv").write_bytes(content)
    with pytest.raises(InputError, match=says):
        read_log(tmp_path)


def test_a_folder_in_place_of_the_log_is_refused(tmp_path):
    (tmp_path / "log.csv").mkdir()
    with pytest.raises(InputError, match="cannot be read"):
        read_log(tmp_path)
