import asyncio
import os
import signal

import pytest

from sil import construct, generate_cvrp, io
from sil.serve.binary import write_routes
from sil.serve.converters import BusyError, Converters
from sil.serve.job import Folder
from tests.processes import is_running, wait_until


@pytest.fixture
def converters(tmp_path):
    (tmp_path / "work").mkdir()
    found = Converters(tmp_path / "work", 1, 4.0, 30.0)
    yield found
    found.close()


@pytest.fixture
def order(tmp_path):
    problem = generate_cvrp(20)
    folder = Folder(tmp_path)
    io.write(folder.problem, problem)
    write_routes(folder.routes, construct(problem, "savings"), problem)
    target = str(tmp_path / "out.sol")
    return {"do": "write", "folder": str(tmp_path), "target": target, "milliseconds": 1}


def process_of(converters):
    (process,) = converters._processes
    return process


def test_a_process_obeys_many_orders(converters, order):
    for _ in range(3):
        assert asyncio.run(converters.ask(order)) == {"written": order["target"]}
    assert process_of(converters).pid


def test_a_process_that_was_killed_is_replaced(converters, order):
    asyncio.run(converters.ask(order))
    first = process_of(converters).pid
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: not is_running(first))
    assert asyncio.run(converters.ask(order)) == {"written": order["target"]}
    assert process_of(converters).pid != first


def test_an_order_that_kills_each_process_is_refused(converters, order, monkeypatch):
    monkeypatch.setattr("sys.executable", "/bin/false")
    assert "ends the process that reads it" in asyncio.run(converters.ask(order))["error"]


def test_a_process_that_takes_too_long_is_killed_and_said_so(converters, order):
    asyncio.run(converters.ask(order))
    first = process_of(converters).pid
    os.kill(first, signal.SIGSTOP)
    converters._seconds = 0.3
    assert "takes more than 0.3 s" in asyncio.run(converters.ask(order))["error"]
    wait_until(lambda: not is_running(first))


def test_too_many_orders_are_refused(converters, order, monkeypatch):
    monkeypatch.setattr("sil.serve.converters._MOST_WAITING", 2)

    async def many():
        return await asyncio.gather(
            *[converters.ask(order) for _ in range(5)], return_exceptions=True
        )

    answers = asyncio.run(many())
    assert sum(isinstance(answer, BusyError) for answer in answers) == 3
    assert asyncio.run(converters.ask(order)) == {"written": order["target"]}


def test_nothing_is_left_when_it_is_closed(tmp_path, order):
    (tmp_path / "work").mkdir()
    found = Converters(tmp_path / "work", 1, 4.0, 30.0)
    asyncio.run(found.ask(order))
    pid = process_of(found).pid
    found.close()
    wait_until(lambda: not is_running(pid))
