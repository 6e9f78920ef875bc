import importlib
import sys

import pytest

from tests.cli.command import run


def test_other_hosts_than_loopback_need_a_token(tmp_path):
    done = run("serve", "--host", "0.0.0.0", "--data", tmp_path, code=2)
    assert "--token-file" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--tiles", "ftp://x"], "--tiles"),
        (["--token-file", "no-such-file"], "cannot be read as a token file"),
        (["--keep", "-1"], "--keep"),
    ],
)
def test_wrong_options_are_errors_before_anything_is_written(tmp_path, options, says):
    assert says in run("serve", "--data", tmp_path, *options, code=2).stderr
    assert list(tmp_path.iterdir()) == []


def test_a_missing_extra_is_said(monkeypatch):
    from sil import MissingExtraError

    command = importlib.import_module("sil.cli.serve")
    monkeypatch.setitem(sys.modules, "sil.serve.server", None)
    with pytest.raises(MissingExtraError, match=r"sil-routing\[serve\]"):
        command.serve()
