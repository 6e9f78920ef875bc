"""The process as a whole: limits, restarts and its end."""

import os
import signal
import socket
import sqlite3
import sys

import httpx
import pytest

from sil import generate_cvrp, io
from sil.serve.binary import read_routes
from tests.processes import wait_until
from tests.serve.running import as_json, finished, processes_of, running, start, submit

PROBLEM = generate_cvrp(300)


def test_a_killed_service_goes_on_where_it_was(tmp_path):
    data = tmp_path / "data"
    first = start(data, "--workers", "1")
    with first.client() as client:
        job = submit(client, PROBLEM, max_runtime=4)
        waiting = submit(client, PROBLEM, max_runtime=0.3)
        wait_until(lambda: client.get(f"/jobs/{job}").json()["rounds"] > 0)
        before = client.get(f"/jobs/{job}").json()
    first.process.kill()
    first.process.wait()
    with running(data) as second, second.client() as client:
        told = finished(client, job)
        assert told["state"] == "done"
        assert told["cost"] <= before["cost"]
        assert told["elapsed"] > before["elapsed"]
        assert finished(client, waiting)["state"] == "done"
    folder = data / "jobs" / job
    solution = read_routes(folder / "routes.bin", PROBLEM)
    assert solution.check(PROBLEM) == []
    assert solution.cost(PROBLEM) == pytest.approx(told["cost"])


def test_a_terminated_service_ends_soon_also_with_open_streams(tmp_path):
    with running(tmp_path / "data") as service, service.client() as client:
        job = submit(client, PROBLEM, max_runtime=50)
        with client.stream("GET", f"/jobs/{job}/events") as stream:
            next(stream.iter_text())
            service.process.send_signal(signal.SIGTERM)
            assert service.process.wait(20) in (0, -signal.SIGTERM)
    with sqlite3.connect(tmp_path / "data" / "jobs.sqlite") as database:
        states = {state for (state,) in database.execute("SELECT state FROM jobs")}
    database.close()
    assert states == {"running"}  # it goes on at the next start


def test_the_queue_is_bounded_and_says_when_to_come_again(tmp_path):
    options = ["--max-queue", "2", "--workers", "1"]
    with running(tmp_path / "data", *options) as service, service.client() as client:
        submit(client, PROBLEM, max_runtime=30)
        wait_until(lambda: client.get("/jobs").json()["jobs"][0]["state"] == "running")
        waiting = [submit(client, PROBLEM, max_runtime=30) for _ in range(2)]
        assert client.get(f"/jobs/{waiting[1]}").json()["place"] == 2
        answer = client.post("/jobs", json=as_json(PROBLEM))
        assert answer.status_code == 429
        assert 1 <= int(answer.headers["retry-after"]) <= 30
        assert client.post(f"/jobs/{waiting[0]}/cancel").json()["state"] == "cancelled"
        assert client.get(f"/jobs/{waiting[0]}/solution").status_code == 409
        submit(client, PROBLEM, max_runtime=0.1)


def test_tokens_keep_others_out(tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text(f"web:{'t' * 24}\n")
    with running(tmp_path / "data", "--token-file", str(tokens)) as service:
        with service.client() as client:
            for method, path in [("GET", "/jobs"), ("POST", "/jobs"), ("POST", "/"),
                                 ("GET", f"/jobs/{'0' * 16}"), ("GET", "/metrics")]:  # fmt: skip
                assert client.request(method, path).status_code == 401, path
            assert client.get("/").status_code == 200  # the page asks for the token
            assert client.get("/health").status_code == 200
        with service.client(headers={"Authorization": f"Bearer {'t' * 24}"}) as client:
            submit(client, PROBLEM, max_runtime=0.1)


def test_two_services_do_not_share_a_folder(tmp_path):
    busy = pytest.raises(AssertionError, match="another service uses this folder")
    with running(tmp_path / "data"), busy:
        start(tmp_path / "data")


def test_a_port_that_is_taken_is_said(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(AssertionError, match="cannot be used: Address already in use"):
            start(tmp_path / "data", port=port)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_killed_worker_costs_nothing_but_its_time(tmp_path):
    with running(tmp_path / "data") as service, service.client() as client:
        job = submit(client, PROBLEM, max_runtime=3)
        wait_until(lambda: client.get(f"/jobs/{job}").json()["rounds"] > 0)
        for pid in processes_of(service, "sil.serve.worker"):
            os.kill(pid, signal.SIGKILL)
        told = finished(client, job)
        assert (told["state"], told["message"]) == ("done", "")
        (tmp_path / "x.sol").write_bytes(client.get(f"/jobs/{job}/solution?format=sol").content)
        assert io.read_solution(tmp_path / "x.sol").check(PROBLEM) == []


def test_strange_hosts_are_refused(tmp_path):
    with running(tmp_path / "data") as service:
        answer = httpx.get(f"{service.url}/jobs", headers={"Host": "evil.example"})
        assert answer.status_code == 421
