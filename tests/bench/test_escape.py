import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sil.bench.escape import file_name, markdown

ODD = [
    "", ".", "..", "../../x", "/etc/x", "a/b", "a%2Fb", "a b", "$\\foo$", "[red]", "<b>|`", "\n",
    "\ud800", "x" * 200, "x" * 199 + "y", "é" * 200, ".hidden",
]  # fmt: skip


def test_usual_names_stay_as_they_are():
    for name in ("X-n1001-k43", "cvrp5k-c300", "tsp60-uniform-0", "E1k.0"):
        assert file_name(name) == name


@pytest.mark.parametrize("name", ODD)
def test_any_name_is_a_file_in_its_folder(name, tmp_path):
    path = tmp_path / f"{file_name(name)}.npz"
    path.touch()
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    assert not path.name.startswith(".")


def test_different_names_are_different_files():
    assert len({file_name(name) for name in ODD}) == len(ODD)


@given(st.text(), st.text())
def test_names_of_files_are_safe_and_tell_names_apart(first, second):
    assert (file_name(first) == file_name(second)) == (first == second)
    assert set(file_name(first)) <= set(string.ascii_letters + string.digits + "._-%~")
    assert 0 < len(file_name(first)) <= 100


def test_markdown_shows_a_text_as_it_is():
    assert markdown("a|b`c`*d*\\ <x> $y$") == r"a\|b\`c\`\*d\*\\ \<x\> \$y\$"
    assert "\n" not in markdown("a\n| b |")
