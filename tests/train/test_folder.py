import json
from dataclasses import asdict

import pytest

from sil import InputError
from sil.io.atomic import replacing
from sil.train.folder import take_folder
from tests.train.runs import small_config


@pytest.mark.parametrize(
    "name",
    ["notes.md", ".git-credentials", ".cache-x/file", "log.csv", "checkpoint.pt", "stage-1/x",
     ".sil-scratch-mine"],
)  # fmt: skip
def test_a_folder_with_anything_else_is_refused_and_left_alone(tmp_path, name):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine")
    there = sorted(tmp_path.rglob("*"))
    with pytest.raises(InputError, match=r"is not empty, and no training run is in it"):
        take_folder(small_config(), tmp_path)
    assert sorted(tmp_path.rglob("*")) == there
    assert (tmp_path / name).read_text() == "mine"


def test_what_a_run_leaves_that_was_killed_at_its_beginning_counts_as_empty(tmp_path):
    (tmp_path / ".lock").touch()
    (tmp_path / ".sil-scratch/pool").mkdir(parents=True)
    (tmp_path / ".sil-scratch-0123456789abcdef.json").write_text('{"poli')
    take_folder(small_config(), tmp_path).close()
    assert json.loads((tmp_path / "config.json").read_text())["seed"] == 3
    assert not (tmp_path / ".sil-scratch-0123456789abcdef.json").exists()
    take_folder(small_config(), tmp_path).close()


@pytest.mark.parametrize("name", ["config.json", "checkpoint.pt", "log.csv", "best.safetensors"])
def test_what_a_kill_leaves_beside_any_file_of_a_run_is_removed(tmp_path, name):
    take_folder(small_config(), tmp_path).close()
    with replacing(tmp_path / name) as left:
        left.write_text((tmp_path / "config.json").read_text())
    left.write_text("half")  # as if it had been killed before
    take_folder(small_config(), tmp_path).close()
    assert not left.exists()


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"{}", b'{"name": "my app"}', b"\xff", b"[" * 100_000, b"9" * 5_000],
)
def test_another_s_config_json_is_refused_and_left_alone(tmp_path, content):
    path = tmp_path / "config.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"config\.json: .* choose another folder with --out"):
        take_folder(small_config(), tmp_path)
    assert path.read_bytes() == content
    assert [each.name for each in tmp_path.iterdir()] == ["config.json"]


def test_a_config_that_is_no_file_is_refused(tmp_path):
    (tmp_path / "config.json").mkdir()
    with pytest.raises(InputError, match="cannot be read"):
        take_folder(small_config(), tmp_path)


@pytest.mark.parametrize("name", ["file", "file/below", "x" * 5_000])
def test_a_folder_that_cannot_be_made_is_refused(tmp_path, name):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InputError):
        take_folder(small_config(), tmp_path / name)
    assert (tmp_path / "file").read_text() == "mine"


def test_the_lock_is_given_back_when_the_configuration_differs(tmp_path):
    config = small_config()
    take_folder(config, tmp_path).close()
    written = json.loads((tmp_path / "config.json").read_text())
    assert written == json.loads(json.dumps(asdict(config)))
    with pytest.raises(InputError, match="another configuration"):
        take_folder(small_config("CVRP"), tmp_path)
    take_folder(config, tmp_path).close()
