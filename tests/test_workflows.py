"""The workflows of CI and the hooks: they run what can be run locally, and it exists."""

import os
import re
from pathlib import Path

import pytest

from tests.test_makefile import targets

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
COMMAND = re.compile(r"make ([a-z]+)( [A-Z]+=\S+)*|\.ci/[a-z]+( \S+)*")


def load(path: Path) -> dict:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def commands(path: Path) -> list[str]:
    jobs = load(path)["jobs"].values()
    steps = [step for job in jobs for step in job["steps"]]
    return [line for step in steps for line in step.get("run", "").splitlines()]


def test_there_is_a_workflow_for_each_kind_of_check():
    assert {path.stem for path in WORKFLOWS} == {"tests", "lint", "sanitizers", "wheels"}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_run_make_targets_and_scripts_that_exist(path):
    assert commands(path)
    for command in commands(path):
        assert COMMAND.fullmatch(command), f"not a make target or a script of .ci: {command}"
        name = command.split()[1 if command.startswith("make ") else 0]
        if command.startswith("make "):
            assert name in targets()
        else:
            assert os.access(ROOT / name, os.X_OK)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_may_only_read_and_do_not_run_twice(path):
    workflow = load(path)
    assert workflow["permissions"] == {"contents": "read"}
    assert workflow["concurrency"]["cancel-in-progress"] is True
    for job in workflow["jobs"].values():
        assert "permissions" not in job
        assert job["timeout-minutes"] <= 120
        uses = [step.get("uses", "") for step in job["steps"]]
        assert all(re.fullmatch(r"actions/[a-z-]+@v\d+|", each) for each in uses)
        (python,) = (s for s in job["steps"] if "setup-python" in s.get("uses", ""))
        assert python["with"]["cache"] == "pip"


def test_tests_run_on_every_supported_python_and_on_macos():
    matrix = load(ROOT / ".github" / "workflows" / "tests.yml")["jobs"]["tests"]["strategy"][
        "matrix"
    ]
    assert matrix["python"] == ["3.11", "3.12", "3.13"]
    assert any(each["os"].startswith("macos") for each in matrix["include"])


def test_scripts_of_ci_call_what_exists():
    for script in (ROOT / ".ci").iterdir():
        assert os.access(script, os.X_OK)
        text = script.read_text()
        assert set(re.findall(r"^\s*make ([a-z]+)", text, re.MULTILINE)) <= targets()
        for test in re.findall(r"tests/[\w/]+\.py", text):
            assert (ROOT / test).is_file(), test


def test_hooks_need_no_network():
    config = load(ROOT / ".pre-commit-config.yaml")
    assert [repository["repo"] for repository in config["repos"]] == ["local"]
    hooks = config["repos"][0]["hooks"]
    assert all(hook["language"] == "system" for hook in hooks)
    assert all(hook["entry"].startswith(".venv/bin/") for hook in hooks)
