from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sil.bench.method_name import MethodName


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("search", MethodName("search")),
        ("PRC10", MethodName("PRC", 10)),
        ("FILO2", MethodName("FILO2")),  # a digit is not a number of rounds
        ("model, linear attention", MethodName("model, linear attention")),
        ("greedy@w.safetensors", MethodName("greedy", None, "w.safetensors")),
        ("PRC10@/a/w.safetensors?1a2b", MethodName("PRC", 10, "/a/w.safetensors", "1a2b")),
        ("PRC10@odd?name@1?1a2b", MethodName("PRC", 10, "odd?name@1", "1a2b")),
        ("PRC10@odd?name?", MethodName("PRC", 10, "odd?name")),
        ("PRC", MethodName("PRC")),
        ("PRC0", MethodName("PRC0")),
        ("PRC010", MethodName("PRC010")),
        ("", MethodName("")),
    ],
)
def test_names_are_parsed_and_written(text, name):
    assert MethodName.parse(text) == name
    assert str(name) == text


plain = st.text(st.characters(exclude_characters="@")).filter(lambda text: "PRC" not in text)


@given(plain, st.text(), st.text(st.characters(exclude_characters="?")))
def test_whatever_is_written_is_parsed_as_the_same(base, weights, checksum):
    for rounds in (None, 7, 1000):
        name = MethodName(base if rounds is None else "PRC", rounds, weights, checksum)
        if not weights:
            name = MethodName(name.base, rounds)
        assert MethodName.parse(str(name)) == name


@given(st.text())
def test_any_text_can_be_parsed(text):
    name = MethodName.parse(text)
    assert MethodName.parse(str(name)).plain == name.plain


def test_the_title_shows_only_the_end_of_a_path():
    assert MethodName("PRC", 10).title == "PRC10"
    long = MethodName("PRC", 10, "/very/long/path/run/best.safetensors", "1a2b")
    assert long.title == "PRC10 with run/best.safetensors (1a2b)"
    assert MethodName("greedy", None, "run/best.safetensors").title == (
        "greedy with run/best.safetensors"
    )
    assert long.without_rounds().title == "PRC with run/best.safetensors (1a2b)"


def test_weights_are_named_by_path_and_content(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = Path("w.safetensors")
    file.write_bytes(b"1")
    first = MethodName("PRC", 10).using(file)
    assert (first.plain, first.weights) == ("PRC10", str(tmp_path / "w.safetensors"))
    assert first == MethodName("PRC", 10).using(tmp_path / "w.safetensors")
    file.write_bytes(b"2")
    second = MethodName("PRC", 10).using(file)
    assert second.weights == first.weights
    assert second.checksum != first.checksum


def test_a_path_cannot_write_to_the_terminal():
    name = MethodName("PRC", 10, "a\x1b[31m\nb", "1a2b")
    assert str(name.printable()) == r"PRC10@a\x1b[31m\nb?1a2b"
