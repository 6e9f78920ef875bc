import json
import threading

import pytest

from sil import InputError
from sil.serve.job import Job, State, new_id
from sil.serve.store import KeyTakenError, QueueFullError, Store


@pytest.fixture
def store(tmp_path):
    found = Store(tmp_path / "jobs.sqlite")
    yield found
    found.close()


def a_job(client: str = "a", **more) -> Job:
    return Job(new_id(), client, "x", "TSP", "EUC_2D", 3, "auto", 0, 5.0, False, 1.0, **more)


FIGURES = {"elapsed": 1.5, "rounds": 3, "cost": 9.5, "routes": 1}


def test_what_was_added_is_found_also_after_a_restart(tmp_path):
    job = a_job()
    first = Store(tmp_path / "s")
    assert first.add(job, 10) == job
    # Not closed: as after a kill.
    assert Store(tmp_path / "s").get(job.id).name == "x"
    assert first.get("nobody") is None


def test_a_job_goes_through_its_states_and_tells_each(store):
    job = store.add(a_job(), 10)
    assert store.place(job.id) == 1
    assert store.claim().id == job.id
    assert store.claim() is None
    store.progress(job.id, FIGURES)
    store.progress(job.id, FIGURES | {"cost": 8.0})
    store.finish(job.id, State.DONE, shares='[{"name": "search"}]')
    found = store.get(job.id)
    assert (found.state, found.start_cost, found.cost, found.rounds) == (State.DONE, 9.5, 8.0, 3)
    assert found.started is not None
    assert found.finished is not None
    told = [(event.number, event.kind) for event in store.events(job.id)]
    assert told == [(1, "state"), (2, "state"), (3, "progress"), (4, "progress"), (5, "state")]
    assert [event.number for event in store.events(job.id, after=3)] == [4, 5]
    assert json.loads(store.events(job.id)[3].data)["cost"] == 8.0
    assert found.event == 5


def test_the_queue_is_bounded(store):
    for _ in range(3):
        store.add(a_job(), 3)
    with pytest.raises(QueueFullError, match="3 jobs are waiting"):
        store.add(a_job(), 3)
    assert store.counts()[State.QUEUED] == 3


def test_the_queue_is_fair_among_clients(store):
    greedy = [store.add(a_job("greedy"), 99).id for _ in range(5)]
    modest = store.add(a_job("modest"), 99).id
    assert store.claim().id == greedy[0]
    assert store.place(modest) == 1
    assert store.claim().id == modest
    assert store.claim().id == greedy[1]


def test_a_key_makes_one_job_only(store):
    first = store.add(a_job(), 10, "key", "same")
    assert store.add(a_job(), 10, "key", "same").id == first.id
    assert store.keyed("a", "key", "same").id == first.id
    assert store.keyed("b", "key", "same") is None  # keys of others are others
    with pytest.raises(KeyTakenError, match="another request"):
        store.add(a_job(), 10, "key", "different")
    assert len(store.names()) == 1


def test_running_jobs_go_back_into_the_queue_after_a_restart(store):
    job = store.add(a_job(), 10)
    store.claim()
    store.progress(job.id, FIGURES)
    assert store.put_all_back() == [job.id]
    again = store.claim()
    assert (again.id, again.elapsed, again.cost) == (job.id, 1.5, 9.5)


def test_failures_count_until_there_is_progress(store):
    job = store.add(a_job(), 10)
    for _ in range(3):
        store.claim()
        store.put_back(job.id, failed=True)
    assert store.get(job.id).failures == 3
    store.progress(job.id, FIGURES)
    assert store.get(job.id).failures == 0


def test_stopping_a_waiting_job_cancels_it_and_a_running_one_is_asked(store):
    waiting, running = store.add(a_job(), 10), store.add(a_job(), 10)
    assert store.claim().id == waiting.id  # it was the first
    assert store.stop(running.id).state is State.CANCELLED
    asked = store.stop(waiting.id)
    assert (asked.state, asked.stopping) == (State.RUNNING, True)
    store.finish(waiting.id, State.CANCELLED)
    assert store.stop(waiting.id).state is State.CANCELLED
    assert store.stop("nobody") is None


def test_deleted_jobs_leave_nothing(store):
    job = store.add(a_job(), 10)
    store.claim()
    store.delete(job.id)
    store.progress(job.id, FIGURES)  # by a worker that does not know yet
    store.finish(job.id, State.DONE)
    assert store.get(job.id) is None
    assert store.events(job.id) == []


def test_pages_begin_with_the_newest(store):
    names = [store.add(a_job(), 99).id for _ in range(5)]
    first = store.page(2)
    assert [job.id for job in first] == names[:-3:-1]
    assert [job.id for job in store.page(9, before=first[-1].id)] == names[2::-1]


def test_old_jobs_are_those_that_were_finished_before(store):
    old = store.add(a_job(), 99)
    store.add(a_job(), 99)
    store.claim()
    store.finish(old.id, State.DONE)
    assert store.names(finished_before=2e10) == [old.id]
    assert store.names(finished_before=0.0) == []


def test_many_threads_can_use_it(store):
    def work():
        for _ in range(10):
            store.add(a_job(), 999)
            job = store.claim()
            store.progress(job.id, FIGURES)
            store.finish(job.id, State.DONE)

    threads = [threading.Thread(target=work) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.counts()[State.DONE] == 50


def test_a_file_that_is_no_database_is_refused(tmp_path):
    (tmp_path / "x").write_text("this is no database" * 100)
    with pytest.raises(InputError, match="cannot be used as a database"):
        Store(tmp_path / "x")


def test_the_wait_is_estimated_from_what_runs(store):
    store.add(a_job(), 9)
    assert store.waiting_seconds(1) == 1
    store.claim()
    assert store.waiting_seconds(1) == 5.0
    assert store.waiting_seconds(2) == 1
