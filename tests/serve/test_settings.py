import pytest

from sil import InputError
from sil.serve.settings import Limits, Settings, read_tokens


def test_cores_are_shared_among_workers(tmp_path, monkeypatch):
    monkeypatch.setattr("sil.serve.settings.available_threads", lambda: 8)
    assert Settings(tmp_path, workers=3).threads_per_job == 2
    assert Settings(tmp_path, workers=20).threads_per_job == 1
    assert Settings(tmp_path, workers=3, threads=5).threads_per_job == 5


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"workers": 0}, "--workers is 0"),
        ({"tiles": "ftp://x/{z}/{x}/{y}"}, "--tiles"),
        ({"tiles": "https://x/{z}/{x}"}, "{y}"),
        ({"tiles": "https://x/{z}/{x}/{y};script-src *"}, "--tiles"),
    ],
)
def test_wrong_settings_are_refused(tmp_path, more, says):
    with pytest.raises(InputError, match=says):
        Settings(tmp_path, **more)


def test_limits_are_above_zero():
    with pytest.raises(InputError, match="max_nodes is 0"):
        Limits(max_nodes=0)


def test_tokens_have_names(tmp_path):
    path = tmp_path / "tokens"
    path.write_text(f"# ours\nweb:{'a' * 20}\n\n{'b' * 20}\n")
    assert read_tokens(path) == {"a" * 20: "web", "b" * 20: "token 4"}


@pytest.mark.parametrize("text", ["", "short", "web:with a blank in it", "ä" * 20])
def test_bad_tokens_are_refused(tmp_path, text):
    (tmp_path / "tokens").write_text(text)
    with pytest.raises(InputError, match="token"):
        read_tokens(tmp_path / "tokens")


def test_a_missing_token_file_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be read as a token file"):
        read_tokens(tmp_path / "tokens")
