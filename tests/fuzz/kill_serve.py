"""``sil serve`` is killed: every accepted job ends well, at least as good as it was told."""

import os
import random
import signal
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import numpy as np

from sil import Problem, generate_cvrp, generate_tsp, io
from tests.fuzz.victim import Tally
from tests.serve.running import Running, as_json, free_port, processes_of, start

_OPTIONS = ["--workers", "2", "--max-queue", "1000"]
_JOBS_AT_ONCE = 6
_END = 300.0  # seconds for all jobs to end after the last kill


@dataclass
class _Accepted:
    """A job that the service has accepted, and the best cost that it ever told."""

    problem: Problem
    told: float = float("inf")


@dataclass
class _Crowd:
    """Clients that submit jobs and look at them, whatever happens to the service."""

    url: str
    problems: list[Problem]
    rng: random.Random
    jobs: dict[str, _Accepted] = field(default_factory=dict)
    unfinished: set[str] = field(default_factory=set)
    over: bool = False
    trouble: list[str] = field(default_factory=list)

    def submit_and_look(self) -> None:
        with httpx.Client(base_url=self.url, timeout=20) as client:
            while not self.over:
                try:
                    if len(self.unfinished) < _JOBS_AT_ONCE:
                        self._submit(client)
                    for name in list(self.unfinished):
                        self._look(client, name)
                except httpx.TransportError:
                    time.sleep(0.05)  # it was killed
                time.sleep(0.02)

    def _submit(self, client: httpx.Client) -> None:
        problem = self.rng.choice(self.problems)
        seconds = round(self.rng.uniform(0.3, 3.0), 2)
        answer = client.post(f"/jobs?max_runtime={seconds}", json=as_json(problem))
        if answer.status_code == 202:
            name = answer.json()["id"]
            self.jobs[name] = _Accepted(problem)
            self.unfinished.add(name)
        elif answer.status_code != 429:
            self.trouble.append(f"a submission was answered {answer.status_code} {answer.text}")

    def _look(self, client: httpx.Client, name: str) -> None:
        answer = client.get(f"/jobs/{name}")
        if answer.status_code != 200:
            self.trouble.append(f"job {name} was accepted, but is answered {answer.status_code}")
            self.unfinished.discard(name)
            return
        told = answer.json()
        job = self.jobs[name]
        if told["cost"] is not None:
            job.told = min(job.told, told["cost"])
        if told["state"] in ("done", "cancelled", "failed"):
            self.unfinished.discard(name)


def kill_serve(kills: int, rng: np.random.Generator, folder: Path) -> Tally:
    """Kill servers, workers and converters under load."""
    tally = Tally()
    port = free_port()
    problems = [generate_cvrp(400, 1), generate_tsp(2_000, 2), generate_cvrp(2_000, 3)]
    service = start(folder / "data", *_OPTIONS, port=port)
    crowd = _Crowd(service.url, problems, random.Random(int(rng.integers(2**32))))
    clients = threading.Thread(target=crowd.submit_and_look)
    clients.start()
    try:
        while tally.kills < kills:
            time.sleep(rng.uniform(0.05, 1.2))
            service = _kill_something(tally, rng, service, port)
        crowd_ends = time.monotonic() + _END
        crowd.over = True
        clients.join()
        with service.client() as client:
            for name, job in crowd.jobs.items():
                tally.check(
                    f"job {name}", lambda n=name, j=job: _ends_well(client, n, j, crowd_ends)
                )
                tally.completed += 1
    finally:
        crowd.over = True
        clients.join()
        service.process.kill()
        service.process.wait()
    for what in crowd.trouble:
        tally.require(False, what)
    return tally


def _kill_something(tally: Tally, rng: np.random.Generator, service: Running, port: int) -> Running:
    kind = rng.choice(["server", "worker", "converter"], p=[0.45, 0.45, 0.1])
    if kind == "server":
        service.process.kill()
        service.process.wait()
        tally.kills += 1
        tally.phases[kind] += 1
        return start(service.data, *_OPTIONS, port=port)
    found = processes_of(service, f"sil.serve.{kind}")
    if found:
        with suppress(ProcessLookupError):
            os.kill(int(rng.choice(found)), signal.SIGKILL)
            tally.kills += 1
            tally.phases[kind] += 1
    return service


def _ends_well(client: httpx.Client, name: str, job: _Accepted, end: float) -> bool:
    """Wait for the end of a job, and check its solution by ourselves."""
    while True:
        told = client.get(f"/jobs/{name}").json()
        if told["state"] in ("done", "cancelled", "failed"):
            break
        if time.monotonic() > end:
            raise AssertionError(f"does not end: {told}")
        time.sleep(0.1)
    if told["state"] != "done":
        raise AssertionError(f"did not end well: {told}")
    answer = client.get(f"/jobs/{name}/solution?format=npz")
    path = Path(os.environ.get("TMPDIR", "/tmp")) / f"sil-kill-serve-{os.getpid()}.npz"
    path.write_bytes(answer.content)
    solution = io.read_solution(path)
    path.unlink()
    problem = Problem(job.problem.coords, job.problem.demand, job.problem.capacity)
    if violations := solution.check(problem):
        raise AssertionError(f"is not valid: {violations[0]}")
    least = min(job.told, told["cost"])
    if solution.cost(problem) > least * (1 + 1e-12):
        raise AssertionError(f"costs {solution.cost(problem)}, but {least} was told")
    return True
