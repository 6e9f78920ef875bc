import pytest

from sil import InputError, SilError
from sil.errors import excerpt, printable


def test_what_a_terminal_would_obey_is_escaped():
    assert printable("a\x1b[31m\nb\ud800\u202e") == r"a\x1b[31m\nb\ud800\u202e"
    assert printable("[é] $x$") == "[é] $x$"


def test_excerpts_are_quoted_and_cut():
    assert excerpt("a\nb") == r"'a\nb'"
    assert excerpt("x" * 100, at_most=5) == "'xxxx…'"
    assert excerpt([1, 2]) == "[1, 2]"
    assert len(excerpt(list(range(1000)))) == 60


def test_a_value_that_cannot_be_written_is_named_by_its_type():
    assert excerpt(10**5000) == "a value of type int"


@pytest.mark.parametrize("error", [SilError, InputError])
def test_errors_can_be_printed_whatever_they_quote(error):
    assert str(error("first \x1b[2J\nsecond\r")) == "first \\x1b[2J\nsecond\\r"
