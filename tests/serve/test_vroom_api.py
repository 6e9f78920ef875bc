import httpx
import pytest

from tests.serve.running import finished, submit
from tests.serve.test_api import PROBLEM
from tests.serve.test_vroom import request, with_matrix


def test_a_request_is_answered_at_once_in_the_format_of_vroom(client):
    answer = client.post("/?max_runtime=0.3", json=request(jobs=8))
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert told["code"] == 0
    assert told["summary"]["unassigned"] == 0
    assert told["summary"]["computing_times"]["solving"] > 0


def test_a_matrix_is_understood(client):
    told = client.post("/?max_runtime=0.2", json=with_matrix()).json()
    assert told["summary"]["cost"] == 19


def test_what_is_not_supported_is_refused_by_name_in_the_format_of_vroom(client):
    answer = client.post("/", json=request(shipments=[]))
    assert answer.status_code == 400
    assert answer.json() == {"code": 2, "error": "shipments is not supported: leave it out"}


@pytest.mark.parametrize("body", [b"{", b"[]", b'{"locs": [[0, 0], [1, 1]]}'])
def test_other_requests_are_refused(client, body):
    answer = client.post("/", content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (400, 2)


def test_a_request_of_vroom_may_also_be_a_job(client):
    job = client.post("/jobs?max_runtime=0.3", json=request(jobs=6)).json()["id"]
    with httpx.Client(base_url=client.base_url, timeout=60) as other:
        finished(other, job)
    told = client.get(f"/jobs/{job}/solution?format=vroom").json()
    assert told["code"] == 0


def test_a_client_of_openrouteservice_works_against_it(service):
    openrouteservice = pytest.importorskip("openrouteservice")
    from openrouteservice.optimization import Job, Vehicle

    client = openrouteservice.Client(base_url=service.url, key="")
    values = request(jobs=6)
    vehicles = [
        Vehicle(each["id"], start=each["start"], end=each["end"], capacity=each["capacity"])
        for each in values["vehicles"]
    ]
    jobs = [
        Job(each["id"], location=each["location"], amount=each["delivery"])
        for each in values["jobs"]
    ]
    told = client.optimization(jobs=jobs, vehicles=vehicles)
    assert told["code"] == 0
    assert told["summary"]["unassigned"] == 0


def test_who_does_not_wait_frees_the_worker(client, service):
    with pytest.raises(httpx.TimeoutException):
        httpx.post(f"{service.url}/?max_runtime=20", json=request(jobs=8), timeout=1.5)
    newest = client.get("/jobs?limit=1").json()["jobs"][0]
    assert finished(client, newest["id"])["state"] == "cancelled"
    submit(client, PROBLEM, max_runtime=0.1)
