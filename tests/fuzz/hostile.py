"""Send hostile requests to the service: ``python -m tests.fuzz.hostile --requests 2000 --seed 0``.

Broken files, requests of VROOM with anything in them, tricks with paths and headers, slow clients
and bombs. Nothing may be answered with 5xx, no file may appear outside the data folder, and the
service may not grow. Ends with 1 otherwise.
"""

import argparse
import os
import random
import socket
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from sil import generate_cvrp
from tests.fuzz.hostile_requests import KINDS, Hostile, Reply
from tests.serve.running import Running, finished, running, submit

_WARM_UP = 100  # requests before memory is compared
_MOST_GROWTH_MB = 40.0
_MOST_MORE_FILES = 20
_OPTIONS = ["--workers", "1", "--max-queue", "5000", "--max-megabytes", "8", "--memory", "4"]
_LIMITS = ["--max-runtime", "2", "--max-nodes", "20000", "--max-matrix", "300"]


@dataclass
class Report:
    """What came of it."""

    answers: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    growth_mb: float = 0.0

    def __str__(self) -> str:
        lines = [f"  {count:5d}  {what}" for what, count in sorted(self.answers.items())]
        lines.append(f"  grown by {self.growth_mb:.1f} MB, failures {len(self.failures)}")
        lines += [f"  FAILED {failure}" for failure in self.failures[:20]]
        return "\n".join(lines)


def attack(requests: int, seed: int, folder: Path) -> Report:
    """Attack a service of its own."""
    report = Report()
    around = folder / "around"
    (around / "tmp").mkdir(parents=True)
    decoy = around / "decoy.txt"
    decoy.write_text("secret-of-the-operator")
    os.environ["TMPDIR"], kept = str(around / "tmp"), os.environ.get("TMPDIR")
    try:
        with running(around / "data", *_OPTIONS, *_LIMITS) as service:
            _send_all(requests, seed, service, report)
    finally:
        os.environ.pop("TMPDIR")
        if kept is not None:
            os.environ["TMPDIR"] = kept
    left = {path.name for path in around.iterdir()}
    if left != {"data", "data-log.txt", "decoy.txt", "tmp"} or list((around / "tmp").iterdir()):
        report.failures.append(f"files outside the data folder: {left}")
    if "Traceback" in (log := (around / "data-log.txt").read_text()):
        report.failures.append(f"the service logged an error: {log[-2000:]}")
    return report


def _send_all(requests: int, seed: int, service: Running, report: Report) -> None:
    before, files = 0.0, 0
    names, weights = list(KINDS), [weight for _, weight in KINDS.values()]
    for number in range(requests):
        rng = random.Random(f"{seed}/{number}")
        name = rng.choices(names, weights)[0]
        what = f"--seed {seed}, request {number}, {name}"
        hostile = KINDS[name][0](rng)
        reply = _sent(service, hostile)
        report.answers[f"{name}: {reply.status or 'closed'}"] += 1
        if reply.status is not None and reply.status >= 500:
            report.failures.append(f"{what}: {reply.status} {reply.text[:300]}")
        if "secret-of-the-operator" in reply.text or str(service.data) in reply.text:
            report.failures.append(f"{what}: tells a secret: {reply.text[:300]}")
        if number == min(_WARM_UP, requests // 2):
            before, files = _memory_mb(service), _open_files(service)
        if service.process.poll() is not None:
            report.failures.append(f"{what}: the service has ended")
            return
    time.sleep(1.0)
    report.growth_mb = _memory_mb(service) - before
    if report.growth_mb > _MOST_GROWTH_MB:
        report.failures.append(f"the service has grown by {report.growth_mb:.0f} MB")
    if (more := _open_files(service) - files) > _MOST_MORE_FILES:
        report.failures.append(f"the service has {more} more open files")
    _still_well(service, report)


def _still_well(service: Running, report: Report) -> None:
    """See that the service still works, and keeps no more than its jobs."""
    with service.client() as client:
        known = set()
        page = client.get("/jobs?limit=200").json()
        while True:
            known |= {job["id"] for job in page["jobs"]}
            if not page["next"]:
                break
            page = client.get("/jobs", params={"limit": 200, "before": page["next"]}).json()
        found = {path.name for path in (service.data / "jobs").iterdir()}
        if found != known:
            report.failures.append(f"folders that belong to no job: {found - known}")
        if left := [path.name for path in (service.data / "incoming").glob("*.*")]:
            report.failures.append(f"uploads were left: {left[:5]}")
        for name in known:
            client.delete(f"/jobs/{name}")
        job = submit(client, generate_cvrp(50), max_runtime=0.3)
        if finished(client, job)["state"] != "done":
            report.failures.append("a good job is not done any more")


def _sent(service: Running, hostile: Hostile) -> Reply:
    if hostile.request is not None:
        try:
            with httpx.Client(base_url=service.url, timeout=60) as client:
                answer = client.request(**hostile.request)
                return Reply(answer.status_code, answer.text)
        except (httpx.TransportError, httpx.InvalidURL):
            return Reply(None, "")
    port = int(service.url.rpartition(":")[2])
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5) as talk:
        for part in hostile.raw:
            talk.sendall(part)
            time.sleep(hostile.pause)
        if hostile.goes_away:
            return Reply(None, "")
        talk.settimeout(5)
        content = talk.recv(65_536)
        status = content[9:12].decode("ascii", "replace")
        return Reply(int(status) if status.isdigit() else None, content.decode("latin-1"))
    return Reply(None, "")


def _memory_mb(service: Running) -> float:
    for line in Path(f"/proc/{service.process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def _open_files(service: Running) -> int:
    return len(list(Path(f"/proc/{service.process.pid}/fd").iterdir()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sil-hostile-") as folder:
        report = attack(options.requests, options.seed, Path(folder))
    print(report)
    return int(bool(report.failures))


if __name__ == "__main__":
    sys.exit(main())
