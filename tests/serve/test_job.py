from pathlib import Path

import pytest

from sil.serve.job import Folder, Job, State, is_id, new_id


def test_new_names_are_names_and_differ():
    names = {new_id() for _ in range(100)}
    assert len(names) == 100
    assert all(map(is_id, names))


@pytest.mark.parametrize(
    "name", ["", "..", "../../etc", "0123456789abcdeF", "0" * 17, "0" * 16 + "\n"]
)
def test_nothing_else_is_a_name(name):
    assert not is_id(name)


def test_what_is_shown_of_a_job_is_no_secret_of_the_server():
    job = Job("0" * 16, "10.0.0.1", "x", "TSP", "EUC_2D", 3, "auto", 0, 5.0, False, 1.0)
    shown = job.public()
    assert "client" not in shown
    assert shown["state"] == State.QUEUED
    assert shown["shares"] == []


def test_all_files_are_in_the_folder():
    folder = Folder(Path("/data/jobs/x"))
    for path in (folder.problem, folder.points, folder.routes, folder.vroom, folder.work):
        assert path.parent == folder.path


def test_final_states():
    assert [state for state in State if state.is_final] == ["done", "cancelled", "failed"]
