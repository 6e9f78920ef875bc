import asyncio
import json
import time
from types import SimpleNamespace

import numpy as np
import pytest

from sil import Problem, generate_cvrp, generate_tsp, io
from sil.serve.api import _stream
from sil.serve.bells import Bells
from sil.serve.job import Folder, State
from sil.serve.store import Store
from tests.processes import wait_until
from tests.serve.running import as_json, finished, submit
from tests.serve.test_store import FIGURES, a_job

PROBLEM = generate_cvrp(200)


@pytest.fixture(scope="module")
def done(service):
    """A job that is finished."""
    with service.client() as client:
        job = submit(client, PROBLEM)
        assert finished(client, job)["state"] == "done"
    return job


def test_a_job_is_accepted_runs_and_gets_better(client):
    answer = client.post("/jobs?max_runtime=2&seed=3", json=as_json(PROBLEM))
    assert answer.status_code == 202
    told = answer.json()
    assert answer.headers["location"] == f"/jobs/{told['id']}"
    job = finished(client, told["id"])
    assert (job["state"], job["kind"], job["nodes"], job["seed"]) == ("done", "CVRP", 200, 3)
    assert job["cost"] <= job["start_cost"]
    assert job["rounds"] > 0
    assert job["elapsed"] > 1.5
    assert [share["name"] for share in job["shares"]] == ["search"]


@pytest.mark.parametrize("ending", ["sol", "json", "npz"])
def test_a_solution_in_our_formats_is_valid(client, done, tmp_path, ending):
    answer = client.get(f"/jobs/{done}/solution", params={"format": ending})
    (tmp_path / f"x.{ending}").write_bytes(answer.content)
    assert f'filename="unnamed.{ending}"' in answer.headers["content-disposition"]
    assert io.read_solution(tmp_path / f"x.{ending}").check(PROBLEM) == []


@pytest.mark.parametrize(
    ("accept", "begins"),
    [
        ("*/*", b'{"nodes"'),
        ("text/html, application/json;q=0.9", b'{"nodes"'),
        ("text/plain", b"Route #1:"),
        ("text/csv", b"route,position,"),
        ("application/geo+json", b'{"type": "FeatureCollection"'),
        ("application/octet-stream", b"SILR"),
    ],
)
def test_the_format_may_be_negotiated(service, client, done, accept, begins):
    answer = client.get(f"/jobs/{done}/solution", headers={"Accept": accept})
    assert answer.content.startswith(begins)
    incoming = service.data / "incoming"
    wait_until(lambda: not [path for path in incoming.iterdir() if path.name.isalnum()])


def test_formats_that_do_not_exist_are_refused(client, done):
    for wrong in ("tour", "vroom", "../x"):
        answer = client.get(f"/jobs/{done}/solution", params={"format": wrong})
        assert (answer.status_code, answer.json()["field"]) == (422, "format")
    answer = client.get(f"/jobs/{done}/solution", headers={"Accept": "image/png"})
    assert answer.status_code == 406


def test_a_tour_is_written_as_tour(client, tmp_path):
    problem = generate_tsp(50)
    job = submit(client, problem)
    finished(client, job)
    answer = client.get(f"/jobs/{job}/solution", headers={"Accept": "text/plain"})
    (tmp_path / "x.tour").write_bytes(answer.content)
    assert io.read_solution(tmp_path / "x.tour").check(problem) == []


@pytest.mark.parametrize("ending", ["npz", "json", "vrp", "VRP", "csv"])
def test_files_of_all_formats_may_be_uploaded(client, tmp_path, ending):
    problem = generate_cvrp(30)
    rounded = Problem(
        np.round(1e4 * problem.coords), problem.demand, problem.capacity, "EUC_2D", name="n30"
    )
    path = tmp_path / f"stops.{ending}"
    query = {"max_runtime": 0.2}
    if ending == "csv":
        rows = "".join(
            f"{x},{y},{d}\n" for (x, y), d in zip(rounded.coords, rounded.demand, strict=True)
        )
        path.write_text("x,y,demand\n" + rows)
        query["capacity"] = problem.capacity
    else:
        io.write(path, rounded)
    with path.open("rb") as file:
        answer = client.post("/jobs", files={"file": (path.name, file)}, params=query)
    assert answer.status_code == 202, answer.text
    job = finished(client, answer.json()["id"])
    assert job["state"] == "done"
    assert job["name"] == ("stops" if ending == "csv" else "n30")


def test_routes_to_start_from_are_taken(client):
    initial = [[k] for k in range(1, 31)]
    body = {"problem": as_json(generate_cvrp(30)), "initial": initial, "method": "none"}
    told = client.post("/jobs", json=body | {"max_runtime": 1}).json()
    job = finished(client, told["id"])
    assert job["routes"] == 30
    assert job["cost"] == job["start_cost"]
    answer = client.post(
        "/jobs",
        files={"file": ("a.json", json.dumps(as_json(generate_cvrp(30))))},
        data={"initial": json.dumps(initial), "max_runtime": "0.5"},
    )
    assert finished(client, answer.json()["id"])["start_cost"] == job["cost"]


@pytest.mark.parametrize(
    ("request_", "status", "field"),
    [
        ({"json": {"locs": "x"}}, 422, "problem"),
        ({"json": as_json(PROBLEM), "params": {"max_runtime": "x"}}, 422, "max_runtime"),
        ({"json": as_json(PROBLEM), "params": {"max_runtime": 1000}}, 422, "max_runtime"),
        ({"json": as_json(PROBLEM), "params": {"method": "x"}}, 422, "method"),
        ({"json": as_json(PROBLEM), "params": {"weights": "x"}}, 422, "weights"),
        ({"content": b"", "headers": {"Content-Type": "application/json"}}, 422, "body"),
        ({"content": b"x", "headers": {"Content-Type": "text/plain"}}, 415, None),
        ({"files": {"file": ("x.exe", b"x")}}, 422, "file"),
        ({"files": {"other": ("x.vrp", b"x")}}, 422, "file"),
        ({"files": {"file": ("x.vrp", b"x")}}, 422, "file"),
        ({"files": {"file": ("x.json", json.dumps(as_json(generate_tsp(20_001))))}}, 422, "nodes"),
        ({"files": {"file": ("x.vrp", b"x")}, "data": {"initial": "["}}, 422, "initial"),
        ({"content": b"x" * 5_000_000}, 413, None),
        ({"content": b"x", "headers": {"Content-Type": "multipart/form-data"}}, 400, None),
    ],
)
def test_bad_input_is_refused_with_its_field(service, client, request_, status, field):
    answer = client.post("/jobs", **request_)
    assert (answer.status_code, answer.json().get("field")) == (status, field), answer.text
    assert str(service.data) not in answer.text
    assert list((service.data / "incoming").glob("*.*")) == []


def test_an_idempotency_key_makes_one_job(client):
    def send(problem, key):
        return client.post(
            "/jobs?max_runtime=0.1", json=as_json(problem), headers={"Idempotency-Key": key}
        )

    first = send(PROBLEM, "one")
    assert send(PROBLEM, "one").json()["id"] == first.json()["id"]
    assert send(PROBLEM, "two").json()["id"] != first.json()["id"]
    other = send(generate_tsp(5), "one")
    assert (other.status_code, other.json()["field"]) == (422, "Idempotency-Key")
    assert send(PROBLEM, "x" * 500).status_code == 422


def events(client, job, after=None):
    headers = {} if after is None else {"Last-Event-ID": str(after)}
    with client.stream("GET", f"/jobs/{job}/events", headers=headers) as stream:
        text = "".join(stream.iter_text()).replace("\r\n", "\n")
    found = []
    for block in text.strip().split("\n\n"):
        fields = dict(
            line.split(": ", 1) for line in block.splitlines() if not line.startswith(":")
        )
        if fields:
            found.append((fields.get("id"), fields["event"], json.loads(fields["data"])))
    return found


def test_events_tell_everything_and_can_be_resumed(client):
    job = submit(client, PROBLEM, max_runtime=1.5)
    seen = events(client, job)
    numbers = [int(number) for number, kind, _ in seen if kind != "end"]
    assert numbers == list(range(1, len(numbers) + 1))
    costs = [data["cost"] for _, kind, data in seen if kind == "progress"]
    assert costs == sorted(costs, reverse=True)
    assert "nodes" not in seen[2][2]
    assert seen[-1][1] == "end"
    assert seen[-1][2]["cost"] == costs[-1]
    assert events(client, job, after=3) == seen[3:]
    assert [kind for _, kind, _ in events(client, job, after=10**9)] == ["end"]
    assert events(client, job, after="nonsense") == seen


def test_a_job_can_be_stopped_and_keeps_its_best(client, tmp_path):
    job = submit(client, PROBLEM, max_runtime=50)
    while client.get(f"/jobs/{job}/solution").status_code == 409:
        time.sleep(0.05)
    assert client.post(f"/jobs/{job}/cancel").status_code == 202
    told = finished(client, job)
    assert told["state"] == "cancelled"
    assert told["elapsed"] < 50
    (tmp_path / "x.sol").write_bytes(client.get(f"/jobs/{job}/solution?format=sol").content)
    solution = io.read_solution(tmp_path / "x.sol")
    assert solution.check(PROBLEM) == []
    assert solution.cost(PROBLEM) == pytest.approx(told["cost"])


def test_a_deleted_job_frees_everything(service, client):
    job = submit(client, PROBLEM, max_runtime=50)
    assert client.delete(f"/jobs/{job}").status_code == 204
    for path in ("", "/solution", "/events", "/points"):
        assert client.get(f"/jobs/{job}{path}").status_code == 404
    assert client.delete(f"/jobs/{job}").status_code == 404
    end = time.monotonic() + 20
    while (service.data / "jobs" / job).exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert not list((service.data / "jobs").glob(f"{job}*"))


@pytest.mark.parametrize("name", ["x", "%2e%2e%2f%2e%2e", "0" * 16, "0" * 15 + "%00"])
def test_other_names_are_no_jobs(client, name):
    for path in ("", "/solution", "/points", "/problem"):
        assert client.get(f"/jobs/{name}{path}").status_code == 404


def test_jobs_are_listed_page_by_page(client, done):
    page = client.get("/jobs?limit=1").json()
    seen = []
    while page["next"]:
        seen += [job["id"] for job in page["jobs"]]
        page = client.get("/jobs", params={"limit": 1, "before": page["next"]}).json()
    seen += [job["id"] for job in page["jobs"]]
    assert done in seen
    assert len(set(seen)) == len(seen)
    assert client.get("/jobs?limit=0").json()["field"] == "limit"
    assert client.get("/jobs?before=x").status_code == 404


def test_the_problem_may_be_fetched_to_run_it_again(service, client, done, tmp_path):
    (tmp_path / "x.npz").write_bytes(client.get(f"/jobs/{done}/problem").content)
    assert io.read(tmp_path / "x.npz") == io.read(Folder(service.data / "jobs" / done).problem)
    assert client.get(f"/jobs/{done}/points").content.startswith(b"SILP")


def test_health_and_figures(client):
    assert client.get("/health").json() == {"status": "ok"}
    assert "sil_jobs_submitted_total" in client.get("/metrics").text
    assert client.get("/settings").json()["max_nodes"] == 20_000


def test_a_long_history_is_told_completely(tmp_path, monkeypatch):
    monkeypatch.setattr("sil.serve.api._MOST_AT_ONCE", 10)
    store = Store(tmp_path / "jobs.sqlite")
    job = store.add(a_job(), 9)
    store.claim()
    for _ in range(37):
        store.progress(job.id, FIGURES)
    store.finish(job.id, State.DONE)

    async def told():
        service = SimpleNamespace(store=store, bells=Bells())
        return [event async for event in _stream(service, job.id, 0)]

    assert len(asyncio.run(asyncio.wait_for(told(), 30))) == 37 + 3 + 1
    store.close()
