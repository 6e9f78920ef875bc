"""Every command in the README and the docs runs as it stands there, only on less."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main

from sil.cli import app
from tests.train.runs import toml

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
LIVING = [page for page in PAGES if page.name != "log.md"]  # the log tells what was run once

LESS = (
    (r"--size \d+", "--size 500"),
    (r"--max-runtime \d+", "--max-runtime 1"),
    (r"--rounds \d+", "--rounds 2"),
    (r"--device cuda", "--device cpu"),  # the tests have no GPU
    (r"train tiny( --device cpu)?$", r"train small.toml --out runs/tiny\1"),
    (r"nproc-per-node 8 .*train paper-tsp", "nproc-per-node 2 -m sil train small.toml"),
    (r"train fast-tsp$", "train fast-tsp --max-runtime 1 --out runs/two"),
    (
        r"bench uniform( --scale smoke)?$",
        "bench memory --scale smoke --threads 1 --out bench/quick",
    ),
    (r"^torchrun", f"{Path(sys.executable).parent}/torchrun"),
    (r"^sil", f"{sys.executable} -m sil"),
)
# These install or call what runs this test; CI does so from a fresh clone.
NOT_HERE = re.compile(r"(make|pip install) ")


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)


def commands(page: Path) -> list[str]:
    lines = "".join(blocks(page, "sh")).splitlines()
    return [line.partition("  #")[0].strip() for line in lines if line.strip()]


def has_examples(page: Path) -> bool:
    return bool(commands(page) or blocks(page, "python"))


@pytest.mark.parametrize("page", [*filter(has_examples, LIVING)], ids=lambda page: page.name)
def test_examples_of_a_page_run_one_after_the_other(page, tmp_path):
    (tmp_path / "small.toml").write_text(toml())
    for command in commands(page):
        if NOT_HERE.match(command):
            continue
        for pattern, less in LESS:
            command = re.sub(pattern, less, command)  # noqa: PLW2901
        done = subprocess.run(
            shlex.split(command), cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stderr}"
    for code in blocks(page, "python"):
        less = re.sub(r"MaxRuntime\(\d+\)", "MaxRuntime(1)", code)
        subprocess.run([sys.executable, "-c", less], cwd=tmp_path, check=True)


def inline_commands() -> list[tuple[str, str]]:
    return [
        (page.name, " ".join(found.split()))
        for page in LIVING
        for found in re.findall(r"`((?:sil|python -m|torchrun) [^`]*)`", page.read_text())
    ]


@pytest.mark.parametrize(("page", "command"), sorted(set(inline_commands())))
def test_commands_within_the_text_have_only_options_that_exist(page, command):
    words = shlex.split(command)
    if words[0] == "torchrun":
        words = words[words.index("-m") + 1 :]
    if words[0] == "python":
        command = [sys.executable, *words[1:3], "--help"]
        shown = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
        known = set(re.findall(r"--[\w-]+", shown.stdout))
    else:
        group = typer.main.get_command(app)
        here = group
        for word in words[1:]:
            here = getattr(here, "commands", {}).get(word, here)
        assert here is not group or words[1:] == ["--help"]
        known = {name for option in here.params for name in (*option.opts, *option.secondary_opts)}
        known |= {"--help"}
    assert {word for word in words if word.startswith("--")} <= known


def test_extras_have_something_behind_them():
    text = (ROOT / "pyproject.toml").read_text()
    extras = re.search(r"\[project.optional-dependencies\]\n(.*?)\n\[", text, re.DOTALL)
    assert extras is not None
    names = re.findall(r"^([\w-]+) = ", extras.group(1), re.MULTILINE)
    for name in set(names) - {"dev"}:
        assert re.search(
            rf'\[{name}\]|"{name}"',
            "".join(path.read_text() for path in [*PAGES, *(ROOT / "src").rglob("*.py")]),
        ), name
