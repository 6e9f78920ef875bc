"""The Makefile: every target can be found in `make help`."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def targets() -> set[str]:
    """List the targets that a person may call, which are the phony ones."""
    found = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert found is not None
    return set(found[1].split())


def test_every_rule_without_a_file_is_phony():
    text = (ROOT / "Makefile").read_text()
    assert set(re.findall(r"^([A-Za-z0-9_-]+):(?!=)", text, re.MULTILINE)) == targets()


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.parametrize("arguments", [["help"], []])
def test_help_lists_every_target_once_under_a_heading(arguments):
    done = subprocess.run(
        ["make", *arguments], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    lines = done.stdout.splitlines()
    listed = [line.split()[0] for line in lines if line.startswith("  ")]
    assert sorted(listed) == sorted(targets())
    headings = [line for line in lines if line and not line.startswith(" ")]
    assert len(headings) >= 3
    assert all(len(line.split()) > 2 for line in lines if line.startswith("  "))
    assert max(map(len, lines)) <= 100
