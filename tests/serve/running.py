"""A service of its own for a test, started as a user would."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx


@dataclass
class Running:
    """A service that runs."""

    url: str
    data: Path
    process: subprocess.Popen[bytes]
    log: Path

    def client(self, **more) -> httpx.Client:
        return httpx.Client(base_url=self.url, timeout=60, **more)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def start(data: Path, *options: str, port: int | None = None) -> Running:
    """Start a service and wait until it answers."""
    port = port or free_port()
    log = data.parent / f"{data.name}-log.txt"
    with log.open("ab") as output:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "sil", "serve", "--port", str(port)),
                *("--data", str(data), "--threads", "1", *options),
            ],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
    service = Running(f"http://127.0.0.1:{port}", data, process, log)
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        try:
            if httpx.get(f"{service.url}/health", timeout=5).is_success:
                return service
        except httpx.TransportError:
            time.sleep(0.05)
    process.kill()
    raise AssertionError(f"the service did not start: {log.read_text()}")


@contextmanager
def running(data: Path, *options: str, port: int | None = None) -> Iterator[Running]:
    service = start(data, *options, port=port)
    try:
        yield service
    finally:
        service.process.terminate()
        try:
            service.process.wait(30)
        except subprocess.TimeoutExpired:
            service.process.kill()
            service.process.wait()


def submit(client: httpx.Client, problem, **query) -> str:
    """Submit a problem as our JSON; return the name of the job."""
    answer = client.post("/jobs", json=as_json(problem), params={"max_runtime": 1, **query})
    assert answer.status_code == 202, answer.text
    return answer.json()["id"]


def as_json(problem) -> dict:
    if problem.kind == "TSP":
        return {"locs": problem.coords.tolist()}
    return {
        "depot": problem.coords[0].tolist(),
        "locs": problem.coords[1:].tolist(),
        "demand": problem.demand[1:].tolist(),
        "capacity": problem.capacity,
    }


def finished(client: httpx.Client, job: str, seconds: float = 60) -> dict:
    """Wait for the end of a job."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        told = client.get(f"/jobs/{job}").json()
        if told["state"] in ("done", "cancelled", "failed"):
            return told
        time.sleep(0.05)
    raise AssertionError(f"job {job} does not end: {told}")


def processes_of(service: Running, module: str) -> list[int]:
    """Find the processes of a module that a service has started (Linux)."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent == service.process.pid and module.encode() in words:
            found.append(int(folder.name))
    return found
