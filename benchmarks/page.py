"""How smoothly the page moves: times between frames while a map is dragged, in headless Chromium.

    python -m benchmarks.page --nodes 100000

Needs Playwright and Chromium (environment variable CHROMIUM, or `chromium` in the path). Also
prints how many bytes and seconds the first view takes.
"""

import math
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from benchmarks.arguments import count, parser
from sil import generate_cvrp, io

_FLAGS = [
    "--no-sandbox",
    "--disable-quic",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]
_DRAGS = 240  # movements of the pointer
_RECORD = """() => {
    window.times = [];
    const note = (time) => { times.push(time); requestAnimationFrame(note); };
    requestAnimationFrame(note);
}"""


def main() -> None:
    """Measure."""
    options = parser(__doc__)
    options.add_argument("--nodes", type=count, default=100_000)
    nodes = options.parse_args().nodes
    with tempfile.TemporaryDirectory(prefix="sil-page-") as folder, socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
        found.close()
        command = ["serve", "--port", str(port), "--data", f"{folder}/data"]
        server = subprocess.Popen([sys.executable, "-m", "sil", *command])
        try:
            _measure(f"http://127.0.0.1:{port}", nodes, Path(folder))
        finally:
            server.terminate()
            server.wait()


def _measure(url: str, nodes: int, folder: Path) -> None:
    from playwright.sync_api import sync_playwright

    job = _solved(url, nodes, folder)
    with sync_playwright() as playwright:
        path = os.environ.get("CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=_FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        sizes: list[int] = []
        page.on("response", lambda answer: sizes.append(len(answer.body())))
        page.goto(url, wait_until="networkidle")
        took = page.evaluate(
            "() => performance.getEntriesByType('paint').find(p => p.name.includes('content'))"
            "?.startTime ?? performance.now()"
        )
        print(f"first view: {sum(sizes) / 1000:.0f} kB, first content after {took:.0f} ms")
        page.goto(f"{url}/#/job/{job}")
        page.locator(".pill[data-state=done]").wait_for()
        page.wait_for_timeout(5_000)
        frames = _dragged(page)
        shown = ", ".join(f"p{p} {np.percentile(frames, p):.1f}" for p in (50, 95, 99, 100))
        print(f"{nodes:,} nodes: milliseconds between {len(frames)} frames of a drag: {shown}")
        browser.close()


def _solved(url: str, nodes: int, folder: Path) -> str:
    """Have a problem solved for a few seconds."""
    io.write(folder / "problem.npz", generate_cvrp(nodes))
    with httpx.Client(base_url=url, timeout=120) as client:
        for _ in range(600):
            try:
                client.get("/health")
                break
            except httpx.TransportError:
                time.sleep(0.1)
        with (folder / "problem.npz").open("rb") as file:
            answer = client.post("/jobs?max_runtime=10", files={"file": ("problem.npz", file)})
        job = str(answer.json()["id"])
        while client.get(f"/jobs/{job}").json()["state"] in ("queued", "running"):
            time.sleep(0.5)
    return job


def _dragged(page: Any) -> Any:
    """Drag the map around; give the times between frames."""
    box = page.locator(".map").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.evaluate(_RECORD)
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(_DRAGS):
        page.mouse.move(x + 90 * math.sin(step / 12), y + 60 * math.sin(step / 17))
        page.wait_for_timeout(8)
    page.mouse.up()
    return np.diff(page.evaluate("() => times"))


if __name__ == "__main__":
    main()
