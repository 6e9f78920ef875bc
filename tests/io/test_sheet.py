import pytest

from sil import InputError
from sil.io.headings import is_header
from sil.io.sheet import read_text


def test_lines_are_those_of_the_file(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('sep=;\nx;y;name;\n\n1;2;"a\nb";\n3;4\n')
    sheet = read_text(path, is_header)
    assert sheet.header == ["x", "y", "name"]
    assert sheet.rows == [["1", "2", "a\nb"], ["3", "4", ""]]
    assert sheet.lines == [5, 6]
    assert sheet.reordered([1, 0]).lines == [6, 5]
    assert sheet.column(1) == ["2", "4"]


def test_a_file_that_may_be_cut_short_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n3,45")
    with pytest.raises(InputError, match="is the file complete"):
        read_text(tmp_path / "a.csv", is_header)
