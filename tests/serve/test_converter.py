import io as streams
import json

import pytest

from sil import construct, generate_cvrp, io
from sil.serve import converter
from sil.serve.binary import write_routes
from sil.serve.job import Folder
from tests.serve.test_reading import LIMITS


@pytest.fixture
def folder(tmp_path):
    found = Folder(tmp_path)
    problem = generate_cvrp(20)
    io.write(found.problem, problem)
    write_routes(found.routes, construct(problem, "savings"), problem)
    return found


def write_order(folder, name):
    target = str(folder.path / name)
    return {"do": "write", "folder": str(folder.path), "target": target, "milliseconds": 5}


@pytest.mark.parametrize("name", ["out.sol", "out.json", "out.npz"])
def test_a_solution_is_written_in_any_format(folder, name):
    assert converter.obey(write_order(folder, name)) == {"written": str(folder.path / name)}
    assert io.read_solution(folder.path / name).check(io.read(folder.problem)) == []


def test_a_solution_that_is_not_valid_never_leaves(folder):
    problem = generate_cvrp(19)
    write_routes(folder.routes, construct(problem, "savings"), problem)
    assert "node 20 is not visited" in converter.obey(write_order(folder, "out.sol"))["error"]


def test_a_bad_upload_is_an_answer_without_paths_of_the_server(tmp_path):
    (tmp_path / "x.json").write_text("{")
    order = {"do": "read", "upload": str(tmp_path / "x.json"), "title": "t", "options": {}}
    told = converter.obey(order | {"folder": str(tmp_path), "limits": LIMITS})
    assert "not valid json" in told["error"]
    assert str(tmp_path) not in told["error"]
    bad = converter.obey(order | {"options": {"seed": -1}, "folder": str(tmp_path), "limits": {}})
    assert "error" in bad


def test_too_little_memory_is_an_answer(monkeypatch, folder):
    def fail(*_):
        raise MemoryError

    monkeypatch.setattr(converter, "_write", fail)
    assert "not enough memory" in converter.obey(write_order(folder, "out.sol"))["error"]


def test_a_full_disk_is_not_the_fault_of_the_client(monkeypatch, folder):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sil.io.atomic.flush", fail)
    assert converter.obey(write_order(folder, "out.sol")) == {"full": True}


def test_it_answers_line_by_line_and_ends_with_its_input(monkeypatch, folder, capsys):
    for name in ("die_with_parent", "confine"):
        monkeypatch.setattr(converter, name, lambda *_: None)
    monkeypatch.setattr(converter, "memory_mb", lambda *_: 1.0)  # the tests' process is large
    monkeypatch.setattr(converter.os, "nice", lambda _: None)
    monkeypatch.setattr(converter.sys, "argv", ["converter", "1", "1"])
    orders = [json.dumps(write_order(folder, name)) for name in ("a.sol", "b.sol")]
    monkeypatch.setattr(converter.sys, "stdin", streams.StringIO("\n".join(orders)))
    converter.main()
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert (folder.path / "b.sol").exists()


def test_it_makes_room_for_a_new_one_when_it_has_grown(monkeypatch, folder, capsys):
    monkeypatch.setattr(converter, "memory_mb", lambda *_: 1e6)
    test_orders = streams.StringIO((json.dumps(write_order(folder, "a.sol")) + "\n") * 3)
    for name in ("die_with_parent", "confine"):
        monkeypatch.setattr(converter, name, lambda *_: None)
    monkeypatch.setattr(converter.os, "nice", lambda _: None)
    monkeypatch.setattr(converter.sys, "argv", ["converter", "1", "1"])
    monkeypatch.setattr(converter.sys, "stdin", test_orders)
    converter.main()
    assert len(capsys.readouterr().out.splitlines()) == 1
