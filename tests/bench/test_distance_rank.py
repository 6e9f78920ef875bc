import csv

import pytest

from sil._native import Interrupt
from sil.bench.distance_rank import FILE, measure_ranks, read_ranks
from sil.bench.report import write_report
from sil.bench.suites import Scale
from sil.errors import InputError


def test_near_nodes_are_the_probable_ones(tmp_path):
    assert measure_ranks(tmp_path, Scale.SMOKE, 1, Interrupt())
    with (tmp_path / FILE).open(newline="") as file:
        rows = list(csv.DictReader(file))
    for problem in ("TSP", "CVRP"):
        of = [row for row in rows if row["problem"] == problem]
        assert [int(row["rank"]) for row in of] == list(range(1, len(of) + 1))
        for column in ("policy", "labels"):
            shares = [float(row[column]) for row in of]
            assert shares[0] == max(shares)
            assert shares[0] > 0.4
        assert sum(float(row["policy"]) for row in of) == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("text", [b"", b"a,b\n1,2\n", b"\xff", b"problem,nodes\nTSP,x\n"])
def test_a_damaged_table_is_an_input_error_and_is_measured_anew(tmp_path, text):
    file = tmp_path / FILE
    file.write_bytes(text)
    with pytest.raises(InputError, match="measure again"):
        read_ranks(file)
    with pytest.raises(InputError, match="measure again"):
        write_report(tmp_path)
    assert measure_ranks(tmp_path, Scale.SMOKE, 1, Interrupt())
    assert {rank.problem for rank in read_ranks(file)} == {"TSP", "CVRP"}


def test_only_changed_code_is_measured_anew(tmp_path, monkeypatch):
    assert measure_ranks(tmp_path, Scale.SMOKE, 1, Interrupt())
    before = (tmp_path / FILE).stat().st_mtime_ns
    assert measure_ranks(tmp_path, Scale.SMOKE, 1, Interrupt())
    assert (tmp_path / FILE).stat().st_mtime_ns == before
    monkeypatch.setattr("sil.bench.distance_rank.own_code", lambda *_: "changed")
    assert measure_ranks(tmp_path, Scale.SMOKE, 1, Interrupt())
    assert "code changed" in read_ranks(tmp_path / FILE)[0].version


def test_an_interrupt_leaves_nothing(tmp_path):
    interrupt = Interrupt()
    interrupt.set()
    assert not measure_ranks(tmp_path, Scale.SMOKE, 1, interrupt)
    assert not (tmp_path / FILE).exists()


def test_a_folder_that_cannot_be_is_an_error_at_once(tmp_path):
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(InputError, match="this is a file"):
        measure_ranks(file, Scale.FULL, 1, Interrupt())
