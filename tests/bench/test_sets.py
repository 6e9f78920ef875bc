import math

import numpy as np
import pytest

from sil import Metric, Problem, Solution, generate_cvrp, generate_tsp, io
from sil.bench.sets import Case, cases, library_cases, library_files, require_references
from sil.errors import InputError
from sil.generate import TEST_SETS


def test_sets_are_the_papers_or_drawn_by_size():
    (case,) = cases("cvrp1k", 1)
    assert case.problem == next(iter(TEST_SETS["cvrp1k"].problems()))
    first, second = cases("tsp-50", 2)
    assert (first.problem, second.problem) == (generate_tsp(50, 0), generate_tsp(50, 1))
    assert [case.problem for case in cases("cvrp-50", 1)] == [generate_cvrp(50)]
    assert first.reference is None
    with pytest.raises(InputError, match=r"unknown set 'tsp9k'.*tsp1k"):
        next(cases("tsp9k", 1))


@pytest.mark.parametrize("name", ["", "a\nb"])
def test_names_of_sets_are_printable(name):
    with pytest.raises(InputError, match="must be printable"):
        Case(name, generate_tsp(5))


@pytest.mark.parametrize("reference", [math.nan, math.inf, -1.0])
def test_references_are_finite_and_not_negative(reference):
    with pytest.raises(InputError, match="the reference is"):
        Case("a", generate_tsp(5), reference)


@pytest.fixture
def library(tmp_path):
    (tmp_path / "below").mkdir()
    coords = (1000 * generate_tsp(20).coords).round()
    for name in ("one", "below/two", "unlisted"):
        io.write(tmp_path / f"{name}.tsp", Problem(coords, metric=Metric.EUC_2D))
    (tmp_path / "best_known.csv").write_text("instance,best_known\none,4000\ntwo,5000\nthree,1\n")
    return tmp_path


def test_a_library_has_the_listed_files(library):
    assert [case.set_name for case in library_cases(library)] == ["one", "two"]
    (case,) = library_cases(library, ("two",))
    assert (case.reference, case.origin) == (5000.0, "best known")
    assert library_files(library, ("two",)) == {"two": (library / "below" / "two.tsp", 5000.0)}
    for name in ("three", "unlisted"):
        with pytest.raises(InputError, match=f"{name} is missing, or not listed"):
            library_files(library, (name,))
    with pytest.raises(InputError, match=r"no best_known\.csv"):
        library_files(library / "below")


@pytest.fixture
def published(tmp_path):
    (tmp_path / "uniform").mkdir()
    tour = " ".join(str(node) for node in range(1, 5001))
    lines = tmp_path / "uniform" / "test_tsp5000_lkh3_n16.txt"
    lines.write_text(f"0.1 0.2 output {tour} 1\n")
    return tmp_path


def test_published_solutions_are_references(published):
    require_references(published)
    first, second = cases("tsp5k", 2, published)
    expected = Solution(np.arange(5000)).cost(first.problem)
    assert (first.reference, first.origin) == (pytest.approx(expected), "LKH-3, same instance")
    assert second.reference is None
    (case,) = cases("cvrp5k", 1, published)
    assert case.reference is None


def test_solutions_that_are_not_valid_are_an_error(published):
    file = published / "uniform" / "test_tsp5000_lkh3_n16.txt"
    file.write_text("0.1 0.2 output 1 2 3 1\n")
    with pytest.raises(InputError, match="line 1"):
        next(cases("tsp5k", 1, published))


def test_a_folder_without_references_is_an_error_at_once(tmp_path):
    require_references(None)
    with pytest.raises(InputError, match="leave out --data"):
        require_references(tmp_path)


def test_a_file_that_cannot_be_read_is_left_out_with_a_note(library, capsys):
    (library / "bad.vrp").write_text("NAME : bad\nTYPE : CVRP\nDISTANCE : 100\n")
    with (library / "best_known.csv").open("a") as table:
        table.write("bad,5\n")
    assert [case.set_name for case in library_cases(library)] == ["one", "two"]
    assert "left out" in capsys.readouterr().err
    with pytest.raises(InputError, match=r"bad\.vrp"):
        list(library_cases(library, ("bad",)))
