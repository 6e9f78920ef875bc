import asyncio
import errno

import pytest

from sil import InputError, generate_cvrp, io
from sil.serve.backend import Attempt, End
from sil.serve.problems import Refusal
from sil.serve.receiving import Upload
from sil.serve.service import Service
from sil.serve.settings import Limits, Settings


class Idle:
    def run(self, job, folder, slot, on_progress, should_stop, should_vanish):
        return Attempt(End.FINISHED)


@pytest.fixture
def service(tmp_path):
    found = Service(Settings(tmp_path / "data", limits=Limits(max_queue=3)), Idle())
    yield found
    found.close()


@pytest.fixture
def upload(service):
    io.write(service.incoming / "x.npz", generate_cvrp(20))
    return Upload(service.incoming / "x.npz", "title", "digest", {"max_runtime": "1"})


def test_an_upload_becomes_a_job_with_its_files(service, upload):
    job = asyncio.run(service.submit(upload, "me", None))
    assert (job.client, job.nodes, job.max_runtime) == ("me", 20, 1.0)
    assert service.job(job.id).name == job.name
    assert service.folder(job).problem.exists()


def test_a_refused_upload_leaves_nothing(service, upload):
    upload.options["seed"] = "-1"
    with pytest.raises(Refusal) as caught:
        asyncio.run(service.submit(upload, "me", None))
    assert (caught.value.status_code, caught.value.field) == (422, "seed")
    assert list((service.settings.data / "jobs").iterdir()) == []


def test_a_full_disk_leaves_nothing_and_is_no_fault_of_the_client(service, upload, monkeypatch):
    async def full(order):
        return {"full": True}

    monkeypatch.setattr(service._converters, "ask", full)
    with pytest.raises(OSError, match="No space") as caught:
        asyncio.run(service.submit(upload, "me", None))
    assert caught.value.errno == errno.ENOSPC
    assert list((service.settings.data / "jobs").iterdir()) == []


def test_submitting_again_with_a_key_gives_the_same_job(service, upload):
    first = asyncio.run(service.submit(upload, "me", "key"))
    again = asyncio.run(service.submit(upload, "me", "key"))
    assert again.id == first.id
    assert len(list((service.settings.data / "jobs").iterdir())) == 1
    assert service.submitted_before("me", "key", upload).id == first.id


def test_a_folder_that_cannot_be_used_is_an_input_error(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be written"):
        Service(Settings(tmp_path / "file"), Idle())


def test_only_so_many_bodies_are_received_at_once(service, monkeypatch):
    monkeypatch.setattr("sil.serve.service._MOST_BODIES", 1)
    with service.receiving(), pytest.raises(Refusal) as caught, service.receiving():
        pass
    assert caught.value.status_code == 429
    with service.receiving():
        pass
