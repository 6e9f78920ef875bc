"""The worked examples run, on less."""

import csv
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
SMALLER = {
    "courier": ("--stops", "300"),
    "milk": ("--farms", "40", "--tankers", "5"),
}


def test_every_example_is_tested():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(SMALLER)


@pytest.mark.parametrize("name", SMALLER)
def test_an_example_writes_a_plan_and_a_map(name, tmp_path):
    command = [sys.executable, EXAMPLES / f"{name}.py", "--out", tmp_path, "--seconds", "2"]
    done = subprocess.run(
        [*map(str, command), *SMALLER[name]], capture_output=True, text=True, check=True
    )
    assert "km" in done.stdout
    assert "too few" not in done.stdout
    with (tmp_path / "plan.csv").open(newline="", encoding="utf-8") as file:
        stops = list(csv.DictReader(file))
    assert len(stops) == int(SMALLER[name][1])
    assert {"id", "lat", "lon", "load", "time"} <= stops[0].keys()
    assert (tmp_path / "map.html").stat().st_size > 10_000


@pytest.mark.parametrize("name", SMALLER)
def test_the_command_of_an_example_has_only_options_that_exist(name):
    text = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    command = re.search(r"sil solve .*?map\.html", text, re.DOTALL)[0]
    help_text = subprocess.run(
        [sys.executable, "-m", "sil", "solve", "--help"],
        capture_output=True,
        text=True,
        check=True,
        env={"COLUMNS": "200", "PATH": "/usr/bin"},
    ).stdout
    for option in re.findall(r"--[a-z-]+", command):
        assert option in help_text
