import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from sil import InputError
from sil.io.atomic import SCRATCH, replacing, require_writable


def put(path: Path, text: str) -> None:
    with replacing(path) as temporary:
        temporary.write_text(text)


def test_the_file_and_then_its_folder_are_flushed(tmp_path, monkeypatch):
    steps = []
    fsync, replace = os.fsync, Path.replace

    def flushed(handle):
        steps.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        fsync(handle)

    def moved(source, target):
        steps.append("move")
        return replace(source, target)

    monkeypatch.setattr(os, "fsync", flushed)
    monkeypatch.setattr(Path, "replace", moved)
    put(tmp_path / "a.txt", "new")
    assert steps == ["file", "move", "folder"]


def test_unfinished_files_have_a_name_of_our_own_and_the_ending(tmp_path):
    with replacing(tmp_path / "a.PNG") as temporary:
        assert temporary.parent == tmp_path
        assert temporary.name.startswith(SCRATCH)
        assert temporary.suffix == ".PNG"
    assert [path.name for path in tmp_path.iterdir()] == ["a.PNG"]


def test_leftovers_of_others_are_not_touched(tmp_path):
    left = tmp_path / f"{SCRATCH}0123.txt"
    left.write_text("of another run")
    put(tmp_path / "a.txt", "new")
    require_writable(tmp_path / "a.txt")
    assert left.read_text() == "of another run"


def test_an_error_leaves_nothing_behind(tmp_path):
    with pytest.raises(KeyError), replacing(tmp_path / "a.txt"):
        raise KeyError
    with pytest.raises(InputError, match="No space left"), replacing(tmp_path / "a.txt"):
        raise OSError(28, "No space left on device")
    assert list(tmp_path.iterdir()) == []


def test_permissions_are_kept_or_those_of_the_user(tmp_path):
    path = tmp_path / "a.txt"
    mask = os.umask(0o027)
    try:
        put(path, "first")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        path.chmod(0o604)
        put(path, "second")
    finally:
        os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o604
    assert path.read_text() == "second"


def test_a_link_is_written_through(tmp_path):
    (tmp_path / "there").mkdir()
    link, target = tmp_path / "a.txt", tmp_path / "there" / "b.txt"
    link.symlink_to(target)
    require_writable(link)
    for text in ("into nothing", "over a file"):
        put(link, text)
        assert link.is_symlink()
        assert target.read_text() == text


def refused(path: Path, message: str) -> None:
    with pytest.raises(InputError, match=message):
        require_writable(path)
    with pytest.raises(InputError, match=message):
        put(path, "text")


def test_what_cannot_be_written_is_found_before(tmp_path):
    (tmp_path / "folder.sol").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "dangling.sol").symlink_to(tmp_path / "nowhere" / "a.sol")
    (tmp_path / "loop.sol").symlink_to(tmp_path / "loop.sol")
    os.mkfifo(tmp_path / "pipe.sol")
    (tmp_path / "null.sol").symlink_to("/dev/null")
    before = sorted(tmp_path.iterdir())
    refused(tmp_path / "folder.sol", "this is a folder")
    refused(tmp_path / "missing" / "a.sol", "there is no folder")
    refused(tmp_path / "file" / "a.sol", "Not a directory")
    refused(tmp_path / "dangling.sol", "there is no folder")
    refused(tmp_path / "loop.sol", "a link to itself")
    refused(tmp_path / "pipe.sol", "a device, a pipe")
    refused(tmp_path / "null.sol", "a device, a pipe")
    refused(Path("/dev/null"), "a device, a pipe")
    refused(Path("/proc/a.sol"), "cannot be written")
    refused(tmp_path / f"{'x' * 300}.sol", "name too long")
    refused(tmp_path / "a\0.sol", "null")
    assert sorted(tmp_path.iterdir()) == before
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_a_read_only_file_is_not_replaced(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_text("precious")
    path.chmod(0o444)
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may do anything
    refused(path, "read-only")
    assert path.read_text() == "precious"


def test_a_full_disk_leaves_nothing_behind(tmp_path):
    script = (
        "import resource, sys, sil\n"
        "problem = sil.generate_cvrp(2_000)\n"
        "solution = sil.construct(problem, 'sweep')\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, 2_000))\n"
        "for name in ('a.npz', 'a.json', 'b.sol', 'b.npz', 'b.json', 'b.geojson'):\n"
        "    try:\n"
        "        if name[0] == 'a':\n"
        "            sil.write(name, problem)\n"
        "        else:\n"
        "            sil.write_solution(name, solution, problem)\n"
        "    except sil.InputError as error:\n"
        "        print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.count("cannot be written: File too large") == 6
    assert list(tmp_path.iterdir()) == []
