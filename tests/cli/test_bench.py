"""The command ``sil bench``: errors are one line, before any work is done."""

import pytest

from sil import Metric, Problem, generate_tsp, io
from sil.bench.results import Results
from sil.policy.weights import pretrained, save
from tests.cli.command import run


def refused(*arguments) -> str:
    done = run("bench", *arguments, code=2)
    return " ".join(done.stderr.replace("│", " ").split())


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    coords = (1000 * generate_tsp(30).coords).round()
    io.write(folder / "town.tsp", Problem(coords, metric=Metric.EUC_2D, name="town"))
    (folder / "best_known.csv").write_text("instance,best_known\ntown,4000\n")
    return folder


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--memory", "nan"], "0.5"),
        (["--memory", "inf"], "gigabytes"),
        (["--memory", "1e300"], "gigabytes"),
        (["--memory", "0"], "0.5"),
        (["--threads", "0"], "--threads"),
        (["--threads", str(2**31)], "1024"),
        (["--scale", "huge"], "smoke"),
        (["--data", "nowhere"], "does not exist"),
    ],
)
def test_bad_options(tmp_path, options, says):
    assert says in refused("uniform", "--scale", "smoke", "--out", tmp_path / "out", *options)
    assert not (tmp_path / "out").exists()


def test_a_folder_of_results_that_cannot_be(tmp_path):
    file = tmp_path / "file"
    file.touch()
    for command in (["memory"], ["distance-rank"], ["training", tmp_path]):
        assert "this is a file" in refused(*command, "--out", file)
    assert "this is a file" in refused("report", file)
    assert "cannot be written to" in refused("memory", "--out", file / "below")


def test_a_damaged_table_is_told_before_the_instances_are_read(tmp_path, data):
    (tmp_path / "results.csv").write_bytes(b"\xff\n")
    (data / "town.tsp").write_text("no instance")
    said = refused("library", "--scale", "smoke", "--data", data, "--out", tmp_path)
    assert "results.csv: cannot be read" in said


def test_bad_data(tmp_path, data):
    (data / "best_known.csv").write_text("instance,best_known\ntown,nan\n")
    assert "needs the columns" in refused("library", "--data", data, "--out", tmp_path / "out")
    (data / "uniform").mkdir()
    lines = data / "uniform" / "test_tsp5000_lkh3_n16.txt"
    for text in (b"1 2 3\n", b"0 0 output 1 x 1\n", b"output 99999999999 1\n", b"\xff"):
        lines.write_bytes(text)
        said = refused("ablation", "--scale", "full", "--data", data, "--out", tmp_path / "out")
        assert "line 1 is not a solution of tsp5k" in said
    assert not (tmp_path / "out").exists()


def test_weights_that_are_none(tmp_path):
    file = tmp_path / "best.safetensors"
    file.write_text("rubbish")
    said = refused("cross-size", "--weights", file, "--out", tmp_path / "out")
    assert "best.json: there is no such file" in said
    save(file, *pretrained("TSP", "fast"))
    file.write_text("rubbish")
    assert "cannot be read" in refused("cross-size", "--weights", file, "--out", tmp_path / "out")
    assert "does not use --weights" in refused("uniform", "--weights", file, "--scale", "smoke")
    assert not (tmp_path / "out").exists()


def test_names_that_look_like_markup_are_shown_as_they_are(tmp_path, data):
    names = ["[red]$\\foo$", "../../../../town", "a|b"]
    (data / "town.tsp").unlink()
    for number, name in enumerate(names):
        coords = (1000 * generate_tsp(30, number).coords).round()
        file = data / f"{number}.tsp"
        io.write(file, Problem(coords, metric=Metric.EUC_2D, name="town"))
        file.write_text(file.read_text().replace("NAME : town", f"NAME : {name}"))
        assert io.read(file).name == name
    lines = [f"{number},4000" for number in range(len(names))]
    (data / "best_known.csv").write_text("\n".join(["instance,best_known", *lines]) + "\n")
    out = tmp_path / "x" / "y" / "out"
    done = run("bench", "library", "--scale", "smoke", "--threads", 1, "--data", data, "--out", out)
    for row in Results(out).rows:
        assert row.instance in names
        assert row.instance in done.stdout
    assert {path for path in tmp_path.rglob("*.npz") if not path.is_relative_to(out)} == set()
    assert (out / "report.html").is_file()


@pytest.mark.parametrize(
    ("suite", "shown", "hidden"),
    [
        ("cross-size", ["--weights"], ["--data", "--no-peers"]),
        ("library", ["--data", "--no-peers"], ["--weights"]),
        ("memory", ["--threads"], ["--weights", "--data", "--no-peers"]),
    ],
)
def test_help_shows_the_options_that_a_suite_uses(suite, shown, hidden):
    text = run("bench", suite, "--help").stdout
    assert all(option in text for option in shown)
    assert not any(option in text for option in hidden)
