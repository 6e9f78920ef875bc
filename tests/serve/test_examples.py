"""The examples of docs/serve.md, run against a service."""

import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "serve.md"


def blocks(language: str, url: str) -> list[str]:
    found = re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    return [block.replace("http://127.0.0.1:8000", url) for block in found]


def test_what_a_shell_is_told_works(service, tmp_path):
    first, second = blocks("bash", service.url)
    assert "sil serve" in first  # which has been started already
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    script = f"set -e\n{second.replace('max_runtime=5', 'max_runtime=1')}"
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "valid: 1,000 nodes" in done.stdout
    assert "event: end" in done.stdout


def test_what_python_is_told_works(service, tmp_path):
    (script,) = blocks("py", service.url)
    done = subprocess.run(
        [sys.executable, "-c", script.replace("max_runtime=5", "max_runtime=1")],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("[]\n")
