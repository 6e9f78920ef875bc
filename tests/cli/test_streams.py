import io
import os
import sys
from pathlib import Path

import pytest

from sil.cli.streams import ForgivingStream, finish_standard_output, forgive_streams


def test_text_is_passed_on():
    inner = io.StringIO()
    stream = ForgivingStream(inner)
    assert stream.write("hello") == 5
    stream.flush()
    assert inner.getvalue() == "hello"
    assert stream.writable()
    assert not stream.isatty()


def test_a_stream_that_does_not_exist_takes_everything():
    stream = ForgivingStream(None)
    assert stream.write("hello") == 5
    stream.flush()
    assert stream.encoding == "utf-8"
    assert not stream.isatty()
    with pytest.raises(OSError, match="no such stream"):
        stream.fileno()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_stream_that_fails_takes_everything():
    with Path("/dev/full").open("w", buffering=1) as full:
        stream = ForgivingStream(full)
        assert stream.write("hello\n") == 6
        stream.flush()
        os.dup2(os.open(os.devnull, os.O_WRONLY), full.fileno())  # so that it can be closed


def test_standard_streams_are_replaced(monkeypatch):
    out, err = io.TextIOWrapper(io.BytesIO(), "ascii"), io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    forgive_streams()
    print("é")
    print("hello", file=sys.stderr)
    finish_standard_output()
    assert out.buffer.getvalue() == b"\\xe9\n"
    assert err.getvalue() == "hello\n"


def test_a_missing_standard_output_is_no_error(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    finish_standard_output()
