import re
import sys
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from typer.testing import CliRunner

from sil import Problem, Solution, generate_tsp, io
from sil.bench.report import collect_training, write_report
from sil.bench.results import Results
from sil.bench.row import Status
from sil.bench.run import best_files
from sil.cli.bench import bench
from sil.errors import InputError, MissingExtraError
from sil.train.log import write_log
from tests.bench.rows import row
from tests.train.runs import ROW


class Checker(HTMLParser):
    """Collects the texts of table cells, and fails on anything that is loaded from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.cells: list[str] = []
        self._inside = False

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("src", "srcset") or (name == "href" and tag in ("link", "a")):
                assert value.startswith("data:"), value
        assert tag not in ("script", "link", "iframe")
        self._inside = tag == "td"
        if self._inside:
            self.cells.append("")

    def handle_data(self, data):
        if self._inside:
            self.cells[-1] += data


@pytest.fixture
def folder(tmp_path):
    results = Results(tmp_path)
    results.append(row(set_name="tsp5k", cost=51.0, reference=50.0, origin="LKH-3"))
    results.append(row(set_name="tsp5k", method="a <b>", cost=52.0, reference=50.0, origin="LKH-3"))
    results.append(row(set_name="tsp5k", method="HGS", cost=None, status=Status.CRASH, message="&"))
    results.append(row(suite="scaling", nodes=100, set_name="tsp-100"))
    results.append(row(suite="memory", cost=None, method="model, full attention"))
    return tmp_path


def test_the_page_needs_nothing_else_and_says_what_was_measured(folder):
    page, text = write_report(folder)
    checker = Checker()
    checker.feed(page.read_text())
    where = checker.cells.index("search")
    assert checker.cells[where : where + 4] == ["search", "51.00", "+2.00", "0.5 s"]
    assert "a <b>" in checker.cells
    assert "LKH3 (cited)" in checker.cells
    assert page.read_text().count("<svg") >= 3
    assert "HGS on a: crash, &amp;" in page.read_text()
    assert re.search(r"^\| search \| 51.00, \+2.00, 0.5 s \|$", text.read_text(), re.MULTILINE)


def test_equal_results_give_equal_pages(folder):
    first = [path.read_bytes() for path in write_report(folder)]
    assert [path.read_bytes() for path in write_report(folder)] == first


def test_runs_done_again_leave_tables_and_legends_as_they_were(tmp_path):
    rows = [
        row(method=method, cost=cost) for method, cost in [("PRC10", 7), ("auto", 5), ("HGS", 6)]
    ]
    pages = []
    for name, order in [("first", rows), ("again", rows[::-1])]:
        results = Results(tmp_path / name)
        for each in order:
            results.append(each)
        pages.append([path.read_text() for path in write_report(tmp_path / name)])
    assert pages[0] == pages[1]


def test_pictures_are_of_the_first_suites_however_the_rows_are_sorted(tmp_path):
    problem = generate_tsp(20)
    results = Results(tmp_path)
    for suite, name, method in [("scaling", "tsp-20", "greedy"), ("uniform", "tsp1k", "auto")]:
        results.append(row(suite=suite, set_name=name, instance=name, method=method))
        instance, solution = best_files(tmp_path, name, name)
        for path in (instance, solution):
            path.parent.mkdir(parents=True)
        io.write(instance, problem)
        io.write_solution(solution, Solution(list(range(20))), problem)
    page, _ = write_report(tmp_path)
    assert re.findall('<img alt="([^"]*)"', page.read_text()) == ["tsp1k", "tsp-20"]


def test_training_runs_are_collected(tmp_path):
    run = tmp_path / "run"
    run.mkdir()
    write_log(run, [replace(ROW, label_gap=12.0), replace(ROW, label_gap=2.0)])
    collect_training(tmp_path / "bench", [run])
    page, _ = write_report(tmp_path / "bench")
    assert "<h2>training</h2>" in page.read_text()
    other = tmp_path / "other" / "run"
    other.mkdir(parents=True)
    write_log(other, [replace(ROW, nodes=200)])
    with pytest.raises(InputError, match="another run with this name"):
        collect_training(tmp_path / "bench", [other])
    with pytest.raises(InputError, match="no log"):
        collect_training(tmp_path / "bench", [tmp_path])


ODD = [
    "$\\foo$ $x",
    "[red]x[/red]",
    "<b>&'\"",
    "a|b`c`",
    "../../x",
    "x" * 200,
    "漢字 é",
    "--> <!--",
]


def test_any_name_can_stand_in_pages_and_pictures(tmp_path):
    results = Results(tmp_path)
    for name in ODD:
        problem = Problem(generate_tsp(20).coords, name=name)
        results.append(row(suite="library", set_name=name, instance=name, reference=6.0))
        failed = {"method": "HGS", "cost": None, "status": Status.CRASH, "message": "| <i> `x`"}
        results.append(row(suite="library", set_name=name, instance=name, **failed))
        for path in best_files(tmp_path, name, name):
            path.parent.mkdir(parents=True)
        instance, solution = best_files(tmp_path, name, name)
        io.write(instance, problem)
        io.write_solution(solution, Solution(list(range(20))), problem)
    page, text = write_report(tmp_path)
    checker = Checker()
    checker.feed(page.read_text())
    assert "<b>&'" not in page.read_text() and "<i>" not in page.read_text()
    assert page.read_text().count("<img") == 4
    lines = [line for line in text.read_text().splitlines() if line.startswith("|")]
    columns = {len(re.findall(r"(?<!\\)\|", line)) for line in lines}
    assert columns == {len(ODD) + 3}  # a name, the sets and the mean


def test_a_damaged_solution_costs_its_picture_only(folder):
    problem = generate_tsp(20)
    for path in best_files(folder, "tsp5k", "a"):
        path.parent.mkdir(parents=True)
    instance, solution = best_files(folder, "tsp5k", "a")
    io.write(instance, problem)
    for damage in (b"rubbish", None):
        if damage is None:
            io.write_solution(solution, Solution(list(range(30))), generate_tsp(30))
        else:
            solution.write_bytes(damage)
        page, _ = write_report(folder)
        assert "<img" not in page.read_text()
        assert "No picture of a: " in page.read_text()


@pytest.mark.parametrize(
    "text", [b"", b"stage,nodes\n", b"stage,nodes\n1,2\n", b"a text\nof lines\n", b"\xff\xfe"]
)
def test_a_log_that_is_none_is_an_input_error(tmp_path, text):
    run = tmp_path / "run"
    run.mkdir()
    (run / "log.csv").write_bytes(text)
    with pytest.raises(InputError, match="log"):
        collect_training(tmp_path / "bench", [run])
    kept = tmp_path / "bench" / "training" / "run"
    kept.mkdir(parents=True)
    (kept / "log.csv").write_bytes(text)
    with pytest.raises(InputError, match="log"):
        write_report(tmp_path / "bench")


def test_an_empty_folder_is_an_error(tmp_path):
    with pytest.raises(InputError, match="no results here yet"):
        write_report(tmp_path)


def test_a_missing_matplotlib_is_told_before_anything_is_done(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"\[bench\]"):
        write_report(folder)
    run = CliRunner().invoke(bench, ["ablation", "--scale", "smoke", "--out", str(folder / "new")])
    assert isinstance(run.exception, MissingExtraError)
    assert not (folder / "new").exists()
