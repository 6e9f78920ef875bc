import json
from dataclasses import asdict

import pytest

from sil import InputError
from sil._native import Interrupt
from sil.io.atomic import replacing
from sil.train.config import parse_config
from sil.train.folder import take_folder
from sil.train.loop import Training
from tests.train.runs import small_config, toml


def test_another_configuration_is_refused_with_the_difference(tmp_path):
    take_folder(small_config(), tmp_path).close()
    changed = parse_config(toml().replace("states = 160", "states = 161"))
    with pytest.raises(InputError, match=r"stages\.0\.states: 160, now 161"):
        take_folder(changed, tmp_path)
    turned = toml().replace("policy = 3, search = 1", "search = 1, policy = 3")
    with pytest.raises(InputError, match=r"improve: policy, search, now search, policy"):
        take_folder(parse_config(turned), tmp_path)


def test_other_problems_are_refused(tmp_path):
    generated, given = tmp_path / "generated", tmp_path / "given"
    take_folder(small_config(), generated).close()
    take_folder(small_config(), given, "3 of mine").close()
    take_folder(small_config(), given, "3 of mine").close()
    for folder, problems, says in (
        (generated, "3 of mine", "problems: generated, now 3 of mine"),
        (given, None, "problems: 3 of mine, now generated"),
        (given, "4 of mine", "problems: 3 of mine, now 4 of mine"),
    ):
        with pytest.raises(InputError, match=says):
            take_folder(small_config(), folder, problems)


def test_a_folder_is_for_one_run_at_a_time(tmp_path):
    first = Training(small_config(), tmp_path, 1)
    with pytest.raises(InputError, match="another run is using this folder"):
        Training(small_config(), tmp_path, 1)
    first.run()
    assert Training(small_config(), tmp_path, 1).run()


def test_a_run_leaves_the_files_of_the_user(tmp_path):
    files = [".git-credentials", ".pre-commit-config.yaml", ".cache-x/deep/file", "notes.md"]
    files += [".sil-scratch-mine", ".sil-scratch-mine.pt", ".sil-scratch/mine", ".log-2.csv"]
    files += ["stage-1/.keep-this", "stage-1/.cache-x/file", ".checkpoint-abcd1234.pt"]
    stopped = Interrupt()
    stopped.set()
    assert not Training(small_config(), tmp_path, 1, stopped).run()
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / ".sil-scratch-0123456789abcdef").mkdir()
    (tmp_path / ".sil-scratch-fedcba9876543210").symlink_to("notes.md")
    (tmp_path / ".sil-scratch-00000000deadbeef.pt").write_bytes(b"half of a checkpoi")
    (tmp_path / ".sil-scratch/pool").mkdir()
    (tmp_path / ".sil-scratch/pool/coords.npy").write_bytes(b"half of a poo")
    assert Training(small_config(), tmp_path, 1).run()
    assert {name: (tmp_path / name).read_text() for name in files} == {n: n for n in files}
    assert (tmp_path / ".sil-scratch-0123456789abcdef").is_dir()
    assert (tmp_path / ".sil-scratch-fedcba9876543210").is_symlink()
    # What a killed run had not finished is gone.
    assert not (tmp_path / ".sil-scratch-00000000deadbeef.pt").exists()
    assert not (tmp_path / ".sil-scratch/pool").exists()


@pytest.mark.parametrize(
    "name",
    ["notes.md", ".git-credentials", ".cache-x/file", "log.csv", "checkpoint.pt", "stage-1/x",
     ".sil-scratch-mine"],
)  # fmt: skip
def test_a_folder_with_anything_else_is_refused_and_left_alone(tmp_path, name):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine")
    there = sorted(tmp_path.rglob("*"))
    with pytest.raises(InputError, match=r"is not empty and holds no training run"):
        take_folder(small_config(), tmp_path)
    assert sorted(tmp_path.rglob("*")) == there
    assert (tmp_path / name).read_text() == "mine"


def test_what_a_run_killed_at_its_start_has_left_counts_as_empty(tmp_path):
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
    [b"", b"{", b"[]", b"{}", b'{"name": "my app"}', b'{"problems": 3}', b"\xff", b"[" * 100_000,
     b"9" * 5_000],
)  # fmt: skip
def test_the_config_json_of_another_program_is_refused_and_left_alone(tmp_path, content):
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
