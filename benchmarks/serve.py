"""The service under load: 200 clients submit, follow, fetch and cancel for five minutes.

    python -m benchmarks.serve --clients 200 --seconds 300

Starts a service with two workers on loopback. Prints how every request was answered, how long
`GET /jobs/{id}` took, for the clients and for a process of its own that asks one at a time, and the
memory of the server. Nothing but 429 may go wrong.
"""

import asyncio
import json
import multiprocessing
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from benchmarks.arguments import count, parser
from sil import Problem, generate_cvrp

_PORT = 8917
_SIZES = (50, 200, 1_000)
_WORKERS = 2
_THINKING = 1.0  # seconds between the requests of a client, on average
_PROBES = 0.05  # seconds between the requests of the prober


@dataclass
class _Tally:
    answers: Counter[str] = field(default_factory=Counter)
    status_seconds: list[float] = field(default_factory=list)
    memory_mb: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def main() -> None:
    """Measure."""
    options = parser(__doc__)
    options.add_argument("--clients", type=count, default=200)
    options.add_argument("--seconds", type=count, default=300)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="sil-load-") as folder:
        command = [
            *(sys.executable, "-m", "sil", "serve", "--port", str(_PORT), "--data", folder),
            *("--workers", str(_WORKERS), "--max-queue", "100"),
        ]
        server = subprocess.Popen(command)
        try:
            asyncio.run(_load(chosen.clients, chosen.seconds, server.pid))
        finally:
            server.terminate()
            server.wait()


async def _load(clients: int, seconds: int, server: int) -> None:
    tally = _Tally()
    url = f"http://127.0.0.1:{_PORT}"
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        while True:
            try:
                await client.get("/health")
                break
            except httpx.TransportError:
                await asyncio.sleep(0.1)
        bodies = [_body(generate_cvrp(size, seed)) for size in _SIZES for seed in range(3)]
        first = await client.post("/jobs?max_runtime=0.1", content=bodies[0], headers=_JSON)
        over = multiprocessing.Event()
        results: Any = multiprocessing.Queue()
        prober = multiprocessing.Process(
            target=_probe, args=(f"{url}/jobs/{first.json()['id']}", over, results)
        )
        prober.start()
        end = time.monotonic() + seconds
        work = [_client(url, number, end, bodies, tally) for number in range(clients)]
        await asyncio.gather(_watch_memory(server, end, tally), *work)
        over.set()
        _print(tally, results.get())
        prober.join()


async def _client(url: str, number: int, end: float, bodies: list[bytes], tally: _Tally) -> None:
    """Be one client with connections of its own."""
    async with httpx.AsyncClient(base_url=url, timeout=60, verify=False) as client:
        await _visits(client, random.Random(number), end, bodies, tally)


async def _visits(
    client: httpx.AsyncClient, rng: random.Random, end: float, bodies: list[bytes], tally: _Tally
) -> None:
    """Submit, watch in one way or another, and leave, again and again."""
    while time.monotonic() < end:
        await asyncio.sleep(rng.expovariate(1 / _THINKING))
        seconds = rng.choice([0.1, 0.3, 1.0])
        path = f"/jobs?max_runtime={seconds}"
        answer = await _ask(client, "POST", path, tally, content=rng.choice(bodies), headers=_JSON)
        if answer is None or answer.status_code != 202:
            continue
        job = answer.json()["id"]
        try:
            if rng.random() < 0.5:
                await _stream(client, job, tally)
            else:
                await _poll(client, job, rng, end, tally)
        except httpx.TransportError as error:
            tally.faults.append(f"{type(error).__name__}: {error}")
        await _ask(client, "DELETE", f"/jobs/{job}", tally)


async def _stream(client: httpx.AsyncClient, job: str, tally: _Tally) -> None:
    async with client.stream("GET", f"/jobs/{job}/events", timeout=300) as stream:
        tally.answers[f"GET events {stream.status_code}"] += 1
        async for _ in stream.aiter_lines():
            pass


async def _poll(
    client: httpx.AsyncClient, job: str, rng: random.Random, end: float, tally: _Tally
) -> None:
    cancels = rng.random() < 0.3
    while time.monotonic() < end:
        began = time.perf_counter()
        answer = await _ask(client, "GET", f"/jobs/{job}", tally)
        tally.status_seconds.append(time.perf_counter() - began)
        if answer is None or answer.status_code != 200:
            return
        state = answer.json()["state"]
        if state == "done":
            await _ask(client, "GET", f"/jobs/{job}/solution?format=sol", tally)
        if state in ("done", "cancelled", "failed"):
            return
        if cancels and rng.random() < 0.3:
            await _ask(client, "POST", f"/jobs/{job}/cancel", tally)
        await asyncio.sleep(rng.expovariate(1 / _THINKING))


async def _ask(
    client: httpx.AsyncClient, method: str, path: str, tally: _Tally, **more: Any
) -> httpx.Response | None:
    try:
        answer = await client.request(method, path, **more)
    except httpx.TransportError as error:
        tally.faults.append(f"{method} {path}: {type(error).__name__}: {error}")
        return None
    what = path.partition("?")[0].strip("/").split("/")
    kind = what[2] if len(what) > 2 else "job" if len(what) > 1 else what[0]
    tally.answers[f"{method} {kind} {answer.status_code}"] += 1
    if answer.status_code >= 400 and answer.status_code != 429:
        tally.faults.append(f"{method} {path}: {answer.status_code} {answer.text[:200]}")
    return answer


async def _watch_memory(server: int, end: float, tally: _Tally) -> None:
    while time.monotonic() < end:
        status = Path(f"/proc/{server}/status").read_text(encoding="ascii")
        (line,) = (line for line in status.splitlines() if line.startswith("VmRSS:"))
        tally.memory_mb.append(int(line.split()[1]) / 1024)
        await asyncio.sleep(1)


def _probe(url: str, over: Event, results: Any) -> None:
    """Ask for one job, one request at a time, from another process than the clients."""
    taken = []
    with httpx.Client(timeout=60) as client:
        while not over.is_set():
            began = time.perf_counter()
            client.get(url)
            taken.append(time.perf_counter() - began)
            time.sleep(_PROBES)
    results.put(taken)


def _print(tally: _Tally, probes: list[float]) -> None:
    for what, number in sorted(tally.answers.items()):
        print(f"{number:8,}  {what}")
    for name, seconds in (("clients", tally.status_seconds), ("prober", probes)):
        if seconds:
            p50, p99 = 1000 * np.percentile(seconds, [50, 99])
            print(f"GET job, {name}: p50 {p50:.0f} ms, p99 {p99:.0f} ms, {len(seconds):,} requests")
    tenth = max(1, len(tally.memory_mb) // 10)
    early, late = np.mean(tally.memory_mb[tenth : 3 * tenth]), np.mean(tally.memory_mb[-tenth:])
    print(f"memory of the server: {early:.0f} MB early, {late:.0f} MB at the end")
    print(f"faults: {len(tally.faults)}")
    for fault in tally.faults[:10]:
        print(f"  {fault}")


_JSON = {"Content-Type": "application/json"}


def _body(problem: Problem) -> bytes:
    assert problem.coords is not None
    assert problem.demand is not None
    values = {
        "depot": problem.coords[0].tolist(),
        "locs": problem.coords[1:].tolist(),
        "demand": problem.demand[1:].tolist(),
        "capacity": problem.capacity,
    }
    return json.dumps(values).encode()


if __name__ == "__main__":
    main()
