import math
from dataclasses import replace

import pytest

from sil import InputError
from sil.io.records import columns
from sil.train.log import LogRow, read_log, write_log
from tests.train.runs import ROW

NAMES = ",".join(columns(LogRow))
LINE = ",".join("1" for _ in columns(LogRow))


def test_a_log_comes_back(tmp_path):
    rows = [replace(ROW, episode=episode, best=episode == 1) for episode in (0, 1, 1, 2)]
    write_log(tmp_path, rows)
    assert read_log(tmp_path) == rows


def test_the_columns_are_those_of_the_first_version(tmp_path):
    write_log(tmp_path, [ROW, replace(ROW, loss=math.nan, best=False)])
    text = (tmp_path / "log.csv").read_bytes().decode()
    assert text.split("\r\n") == [
        "stage,nodes,episode,epoch,steps,seconds,states_per_second,loss,accuracy,label_gap,"
        "greedy_gap,prc_gap,best,rollbacks",
        "1,1000,2,3,40,12.3,1234,0.1234,0.9512,1.0,9.87,3.21,1,0",
        "1,1000,2,3,40,12.3,1234,nan,0.9512,1.0,9.87,3.21,0,0",
        "",
    ]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "columns are missing: stage, nodes"),
        (b"This is a text.\n\nOf two lines.", "columns are missing"),
        (f"{NAMES}\n".encode(), "no rows yet"),
        (f"{NAMES.replace('prc_gap', 'gap')}\n{LINE}\n".encode(), "columns are missing: prc_gap"),
        (f"{NAMES}\n{LINE}\n{LINE[:-4]}\n".encode(), "line 3: a row must have 14 columns"),
        (f"{NAMES}\n{LINE.replace('1', 'x', 1)}\n".encode(), "line 2: stage is 'x'"),
        (f"{NAMES}\n{LINE.replace('1', '1.5', 1)}\n".encode(), "line 2: stage is '1.5'"),
        (f"{NAMES}\n{LINE[:-3]}2,1\n".encode(), "line 2: best is '2'"),
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
