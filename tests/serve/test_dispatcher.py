import sqlite3
import threading
import time

import pytest

from sil.serve.backend import Attempt, End
from sil.serve.bells import Bells
from sil.serve.dispatcher import Dispatcher, folders
from sil.serve.job import Job, State, new_id
from sil.serve.settings import Settings
from sil.serve.store import Store
from tests.processes import wait_until


class Scripted:
    """A backend that does what a test says."""

    def __init__(self) -> None:
        self.script = lambda *_: Attempt(End.FINISHED)
        self.attempts = 0

    def run(self, job, folder, slot, on_progress, should_stop, should_vanish):
        self.attempts += 1
        return self.script(job, on_progress, should_stop, should_vanish)


@pytest.fixture
def backend():
    return Scripted()


@pytest.fixture
def data(tmp_path):
    folders(tmp_path)
    return tmp_path


@pytest.fixture
def start(data, backend):
    made = []

    def make(**more):
        store = Store(data / "s")
        dispatcher = Dispatcher(store, backend, Bells(), Settings(data, **more))
        made.append((store, dispatcher))
        dispatcher.start()
        return store, dispatcher

    yield make
    for store, dispatcher in made:
        dispatcher.close()
        store.close()


def add(store, dispatcher) -> str:
    job = Job(new_id(), "a", "x", "TSP", "EUC_2D", 3, "auto", 0, 5.0, False, 1.0)
    (dispatcher._jobs / job.id).mkdir()
    store.add(job, 99)
    dispatcher.notify(job.id)
    return job.id


def improve(on_progress):
    on_progress({"elapsed": 1.0, "rounds": 1, "cost": 5.0, "routes": 1})


def ended(store, name):
    wait_until(lambda: store.get(name).state.is_final, 20)
    return store.get(name)


def test_jobs_run_one_after_the_other(start, backend):
    running, most = [], []

    def script(job, on_progress, *_):
        running.append(job)
        most.append(len(running))
        time.sleep(0.02)
        improve(on_progress)
        running.remove(job)
        return Attempt(End.FINISHED)

    backend.script = script
    store, dispatcher = start(workers=2)
    names = [add(store, dispatcher) for _ in range(6)]
    assert {ended(store, name).state for name in names} == {State.DONE}
    assert max(most) == 2


def test_a_lost_attempt_is_repeated(start, backend):
    def script(job, on_progress, *_):
        if backend.attempts < 3:
            return Attempt(End.LOST, "killed")
        improve(on_progress)
        return Attempt(End.FINISHED)

    backend.script = script
    store, dispatcher = start()
    job = ended(store, add(store, dispatcher))
    assert (job.state, job.message, backend.attempts) == (State.DONE, "", 3)


def test_a_job_that_never_gets_anywhere_is_given_up(start, backend):
    backend.script = lambda *_: Attempt(End.LOST, "killed")
    store, dispatcher = start()
    job = ended(store, add(store, dispatcher))
    assert (job.state, job.message, backend.attempts) == (State.FAILED, "killed", 5)


def test_a_hopeless_job_fails_but_keeps_what_it_has(start, backend):
    def script(job, on_progress, *_):
        improve(on_progress)
        return Attempt(End.HOPELESS, "no memory")

    backend.script = script
    store, dispatcher = start()
    job = ended(store, add(store, dispatcher))
    assert job.state is State.DONE
    assert job.message == "ended early with its best solution so far: no memory"


def test_a_fault_of_a_backend_does_not_end_the_service(start, backend):
    def script(*_):
        raise RuntimeError("a bug")

    backend.script = script
    store, dispatcher = start()
    assert ended(store, add(store, dispatcher)).state is State.FAILED
    assert dispatcher.is_alive


def test_a_running_job_is_asked_to_stop(start, backend):
    def script(job, on_progress, should_stop, _):
        improve(on_progress)
        wait_until(should_stop)
        return Attempt(End.FINISHED)

    backend.script = script
    store, dispatcher = start()
    name = add(store, dispatcher)
    wait_until(lambda: store.get(name).cost is not None)
    dispatcher.stop(name)
    job = ended(store, name)
    assert (job.state, job.cost) == (State.CANCELLED, 5.0)


def test_a_deleted_job_vanishes_with_its_folder(start, backend, data):
    gone = threading.Event()

    def script(job, on_progress, _, should_vanish):
        wait_until(should_vanish)
        gone.set()
        return Attempt(End.LOST)

    backend.script = script
    store, dispatcher = start()
    name = add(store, dispatcher)
    wait_until(lambda: store.get(name).state is State.RUNNING)
    dispatcher.delete(name)
    assert gone.wait(10)
    assert list((data / "jobs").iterdir()) == []
    assert store.get(name) is None


def test_after_a_restart_jobs_go_on_and_left_overs_are_removed(start, backend, data):
    def script(job, on_progress, _, should_vanish):
        improve(on_progress)
        wait_until(should_vanish)
        return Attempt(End.LOST)

    backend.script = script
    store, dispatcher = start()
    name = add(store, dispatcher)
    wait_until(lambda: store.get(name).cost is not None)
    dispatcher.close()
    assert store.get(name).state is State.RUNNING
    (data / "jobs" / "left").mkdir()
    seen = []
    backend.script = lambda job, *_: seen.append(job.elapsed) or Attempt(End.FINISHED)
    store, dispatcher = start()
    assert ended(store, name).state is State.DONE
    assert seen == [1.0]
    assert not (data / "jobs" / "left").exists()


def test_old_jobs_expire(start, backend, data, monkeypatch):
    monkeypatch.setattr("sil.serve.dispatcher._BETWEEN_SWEEPS", 0.05)
    store, dispatcher = start(keep_seconds=0.2)
    name = add(store, dispatcher)
    wait_until(lambda: store.get(name) is None, 20)
    assert list((data / "jobs").iterdir()) == []


def test_a_full_disk_is_waited_for(start, backend, monkeypatch):
    monkeypatch.setattr("sil.serve.dispatcher._RETRY", 0.05)
    failures = []

    def script(job, on_progress, *_):
        improve(on_progress)
        return Attempt(End.FINISHED)

    store, dispatcher = start()
    finish = store.finish

    def full_at_first(*args):
        failures.append(args)
        if len(failures) < 4:
            raise sqlite3.OperationalError("database or disk is full")
        finish(*args)

    monkeypatch.setattr(store, "finish", full_at_first)
    backend.script = script
    assert ended(store, add(store, dispatcher)).state is State.DONE
    assert len(failures) == 4


def test_what_was_being_read_is_removed_at_the_start(tmp_path):
    _, incoming = folders(tmp_path)
    (incoming / "left").touch()
    folders(tmp_path)
    assert list(incoming.iterdir()) == []
