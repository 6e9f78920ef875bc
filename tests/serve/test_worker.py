import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict

import numpy as np
import pytest

from sil import MaxIterations, Solution, construct, generate_cvrp, io, solve
from sil.result import Progress
from sil.serve import worker
from sil.serve.binary import read_routes, write_routes
from sil.serve.job import Folder
from sil.serve.worker import Keeper, Task
from tests.processes import wait_until

PROBLEM = generate_cvrp(100)


@pytest.fixture
def task(tmp_path):
    io.write(Folder(tmp_path).problem, PROBLEM)
    return Task(str(tmp_path), os.getpid(), "auto", 0, 1.0, 1, 0.0, 0, 8.0, 0)


def lines(task, tmp_path, **more):
    """Run the process of a task; return what it said."""
    file = tmp_path / "task.json"
    file.write_text(json.dumps(asdict(task) | more))
    done = subprocess.run(
        [sys.executable, "-m", "sil.serve.worker", str(file)],
        capture_output=True,
        check=True,
        timeout=60,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_it_tells_of_each_improvement_and_its_file_is_as_good(task, tmp_path):
    said = lines(task, tmp_path)
    assert said[0] == {"ready": True}
    assert [share["name"] for share in said[-1]["finished"]] == ["search"]
    costs = [line["progress"]["cost"] for line in said[1:-1]]
    assert costs == sorted(costs, reverse=True)
    solution = read_routes(Folder(tmp_path).routes, PROBLEM)
    assert solution.check(PROBLEM) == []
    assert solution.cost(PROBLEM) == pytest.approx(costs[-1])


def test_another_attempt_goes_on_where_the_first_has_ended(task, tmp_path):
    write_routes(Folder(tmp_path).routes, construct(PROBLEM, "sweep"), PROBLEM)
    start = construct(PROBLEM, "sweep").cost(PROBLEM)
    said = lines(task, tmp_path, elapsed=20.0, rounds=500, seconds=0.3)
    first = said[1]["progress"]
    assert first["elapsed"] >= 20
    assert first["rounds"] >= 500
    assert first["cost"] <= start + 1e-9


def test_a_method_that_refuses_says_so(task, tmp_path):
    assert "nonsense" in lines(task, tmp_path, method="nonsense")[-1]["refused"]


def test_it_keeps_its_best_when_asked_to_stop(task, tmp_path):
    file = tmp_path / "task.json"
    file.write_text(json.dumps(asdict(task) | {"seconds": 300.0}))
    command = [sys.executable, "-m", "sil.serve.worker", str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        wait_until(Folder(tmp_path).routes.exists)
        process.send_signal(signal.SIGTERM)
        rest = process.stdout.read().splitlines()
    assert "finished" in json.loads(rest[-1])


def test_a_solution_that_cannot_be_saved_is_not_told(task, monkeypatch, capfd):
    monkeypatch.setattr(worker, "_PATIENCE", 0.0)
    keeper = Keeper(task, PROBLEM)

    def full(*_):
        raise OSError(28, "No space left on device")

    solution = construct(PROBLEM, "savings")
    with monkeypatch.context() as broken:
        broken.setattr("sil.io.atomic.flush", full)
        keeper.offer(solution, Progress(0, 0.0, solution.cost(PROBLEM)))
        wait_until(lambda: "No space left" in capfd.readouterr().err)
    keeper.finish(solve(PROBLEM, MaxIterations(0), start=solution))
    told = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert told[-1]["progress"]["cost"] == pytest.approx(solution.cost(PROBLEM))
    assert read_routes(Folder(keeper._file.parent).routes, PROBLEM) == solution


def test_fewer_routes_are_better_if_there_are_too_few_vehicles(task, tmp_path):
    few, many = construct(PROBLEM, "savings"), Solution(PROBLEM.nodes, np.ones(100, dtype=bool))
    small = PROBLEM.replace(max_vehicles=few.num_routes)
    long = Solution(few.nodes[np.lexsort((PROBLEM.nodes, few.via_depot.cumsum()))], few.via_depot)
    keeper = Keeper(task, small)
    for solution in (many, long, few):
        keeper.offer(solution, Progress(0, 0.0, 0.0))
        wait_until(
            lambda expected=solution: (
                keeper._file.exists() and read_routes(keeper._file, small) == expected
            )
        )
    keeper.finish(solve(small, MaxIterations(0), start=many))
    assert read_routes(keeper._file, small) == few
