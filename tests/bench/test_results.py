import csv
import os
import stat

import pytest

from sil.bench.results import Results
from sil.bench.row import Row, Status
from sil.errors import InputError
from sil.io.records import columns
from tests.bench.rows import row


def test_rows_are_read_as_they_were_written(tmp_path):
    rows = [row(), row(method="HGS", status=Status.CRASH, cost=None, message='a, "b"; c')]
    results = Results(tmp_path)
    for each in rows:
        results.append(each)
    assert Results(tmp_path).rows == rows == results.rows
    assert results.find(rows[1].key) == rows[1]
    assert results.find(row(seconds_asked=1.0).key) is None
    assert results.find(row(threads=2).key) is None


WRITTEN_BEFORE = (
    "suite,set_name,instance,problem,nodes,method,seed,threads,memory_gb,seconds_asked,"
    "seconds_used,status,message,cost,reference,origin,gap_percent,peak_mb,growth_mb,machine,"
    "version,date\r\n"
    "uniform,tsp-60,a,TSP,60,search,0,2,16.0,0.5,0.51,ok,,6.5,6.4,best,1.5,90.1,3.2,cpu,"
    '"0.1.0, code 1, instance 2",2026-01-01T00:00:00+00:00\r\n'
    "cross-size,tsp-60,a,TSP,60,PRC10@/a/w.safetensors?0a1b2c3d,0,2,16.0,0.0,0.51,ok,,6.5,,best,"
    ',90.1,3.2,cpu,"0.1.0, 1",2026-01-01T00:00:00+00:00\r\n'
    "library,b,b,CVRP,60,HGS binary,0,2,16.0,0.5,0.51,crash,boom,,0.0,,inf,90.1,3.2,cpu,"
    '"0.1.0, 1",2026-01-01T00:00:00+00:00\r\n'
)


def test_files_of_earlier_versions_are_read_and_written_in_the_same_way(tmp_path):
    (tmp_path / "results.csv").write_bytes(WRITTEN_BEFORE.encode())
    rows = Results(tmp_path).rows
    assert [str(each.method) for each in rows] == [
        "search",
        "PRC10@/a/w.safetensors?0a1b2c3d",
        "HGS binary",
    ]
    assert [each.cost for each in rows] == [6.5, 6.5, None]
    again = Results(tmp_path / "again")
    for each in rows:
        again.append(each)
    assert again.path.read_bytes() == WRITTEN_BEFORE.encode()


def test_the_last_row_of_a_run_counts(tmp_path):
    results = Results(tmp_path)
    results.append(row(status=Status.SKIPPED, cost=None))
    results.append(row())
    assert Results(tmp_path).rows == results.rows == [row()]


def test_a_message_of_several_lines_is_one_line_of_the_file(tmp_path):
    Results(tmp_path).append(row(message="a\n  b"))
    assert Results(tmp_path).rows[0].message == "a b"
    assert (tmp_path / "results.csv").read_text().count("\n") == 2


def test_two_benchmarks_do_not_share_a_folder(tmp_path):
    first, second = Results(tmp_path), Results(tmp_path)
    message = "another benchmark"
    with first.locked(), pytest.raises(InputError, match=message), second.locked():
        pass
    with second.locked():
        pass


def test_a_line_that_was_not_written_to_its_end_is_dropped(tmp_path):
    results = Results(tmp_path)
    results.append(row())
    results.append(row(method="auto"))
    text = results.path.read_text()
    results.path.write_text(text[:-9])
    again = Results(tmp_path)
    assert again.rows == [row()]
    again.append(row(method="auto"))
    assert results.path.read_text() == text


def test_another_csv_is_refused(tmp_path):
    (tmp_path / "results.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="not the columns"):
        Results(tmp_path)


COLUMNS = columns(Row)
LINE = "s,s,a,TSP,9,m,0,1,8,1,1,ok,x,5,4,o,25,9,9,m,v,d"
(GOOD,) = csv.DictReader([LINE], COLUMNS)


@pytest.mark.parametrize(
    "changed",
    [
        {"cost": "nan"}, {"cost": "inf"}, {"cost": "-1"}, {"reference": "nan"}, {"nodes": "1e3"},
        {"status": "fine"}, {"peak_mb": ""}, {"nodes": ""}, {"date": "d,more"},
        {"message": "x" * 200_000},
    ],
)  # fmt: skip
def test_damage_is_an_input_error(tmp_path, changed):
    head = ",".join(COLUMNS) + "\n"
    (tmp_path / "results.csv").write_text(head + ",".join(GOOD.values()) + "\n")
    assert len(Results(tmp_path).rows) == 1
    (tmp_path / "results.csv").write_text(head + ",".join((GOOD | changed).values()) + "\n")
    with pytest.raises(InputError, match=r"line \d cannot be read"):
        Results(tmp_path)


def test_a_line_with_too_few_columns_is_an_input_error(tmp_path):
    line = ",".join(list(GOOD.values())[:-1])
    (tmp_path / "results.csv").write_text(",".join(COLUMNS) + "\n" + line + "\n")
    with pytest.raises(InputError, match="line 2"):
        Results(tmp_path)


def test_what_is_no_text_or_no_file_is_an_input_error(tmp_path):
    (tmp_path / "results.csv").write_bytes(b"\xff\xfe\n")
    with pytest.raises(InputError, match="cannot be read"):
        Results(tmp_path)
    (tmp_path / "results.csv").unlink()
    (tmp_path / "results.csv").mkdir()
    with pytest.raises(InputError, match="cannot be read"):
        Results(tmp_path)


def test_a_folder_that_is_a_file_is_told_at_once(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="this is a file"):
        Results(tmp_path / "file")
    with pytest.raises(InputError, match="cannot be written to"):
        Results(tmp_path / "file" / "below").require_writable()
    Results(tmp_path / "new" / "below").require_writable()
    assert not (tmp_path / "new").exists()


def test_texts_that_cannot_be_shown_are_one_line_of_the_file(tmp_path):
    Results(tmp_path).append(row(instance="a\nb", machine="\x1b[31m", message="\ud800"))
    (found,) = Results(tmp_path).rows
    assert (found.instance, found.machine, found.message) == (r"a\nb", r"\x1b[31m", r"\ud800")
    assert (tmp_path / "results.csv").read_text().count("\n") == 2


def test_a_new_file_is_synced_with_its_folder(tmp_path, monkeypatch):
    synced = []
    real = os.fsync

    def fsync(handle):
        synced.append(stat.S_ISDIR(os.fstat(handle).st_mode))
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    results = Results(tmp_path)
    results.append(row())
    results.append(row(method="auto"))
    assert synced == [False, True, False]


def test_a_full_disk_is_an_input_error(tmp_path, monkeypatch):
    def fsync(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(InputError, match="No space left"):
        Results(tmp_path).append(row())


def test_a_damaged_line_is_named(tmp_path):
    line = ",".join("x" * len(COLUMNS))
    (tmp_path / "results.csv").write_text(",".join(COLUMNS) + "\n" + line + "\n")
    with pytest.raises(InputError, match="line 2"):
        Results(tmp_path)
