import pytest

from sil.errors import InputError
from sil.io.lock import FolderLock


def test_a_folder_is_taken_by_one_and_given_back(tmp_path):
    folder = tmp_path / "new"
    with FolderLock(folder, "busy"), pytest.raises(InputError, match="new: busy"):
        FolderLock(folder, "busy")
    FolderLock(folder, "busy").close()


def test_a_lock_that_nobody_holds_any_more_is_free(tmp_path):
    lock = FolderLock(tmp_path, "busy")
    del lock
    with FolderLock(tmp_path, "busy"):
        pass


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be written to"):
        FolderLock(tmp_path / "file" / "folder", "busy")
