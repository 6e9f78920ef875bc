import pytest

from sil import Metric, Problem, generate_tsp, io
from sil.bench.methods import METHODS, method_named
from sil.bench.suites import SUITES, Options, Scale
from sil.errors import InputError


@pytest.fixture
def library(tmp_path):
    names = ["one", "two"]
    for number, name in enumerate(names):
        coords = (1000 * generate_tsp(20 + number).coords).round()
        io.write(tmp_path / f"{name}.tsp", Problem(coords, metric=Metric.EUC_2D, name=name))
    lines = [f"{name},4.0" for name in names]
    (tmp_path / "best_known.csv").write_text("\n".join(["instance,best_known", *lines]) + "\n")
    return tmp_path


@pytest.mark.parametrize("scale", Scale)
@pytest.mark.parametrize("suite", SUITES)
def test_every_suite_names_methods_that_are_there(suite, scale, library):
    groups = SUITES[suite].groups(Options(scale, data=library))
    assert SUITES[suite].about.endswith(".")
    for group in groups:
        assert group.count >= 0
        assert all(method_named(name).name == name for name in group.methods)


@pytest.mark.parametrize("suite", SUITES)
def test_smoke_cases_are_small(suite, library):
    for group in SUITES[suite].groups(Options(Scale.SMOKE, data=library)):
        sizes = [case.problem.num_nodes for case in group.cases]
        assert len(sizes) == group.count
        assert max(sizes) <= 100
        assert max(group.seconds) <= 1


def test_uniform_compares_at_the_sizes_that_people_ask_for():
    groups = SUITES["uniform"].groups(Options(Scale.QUICK))
    sizes = [(case.problem.kind, case.problem.num_nodes) for g in groups for case in g.cases]
    for size in (1_000, 5_000, 10_000, 100_000):
        assert {("TSP", size), ("CVRP", size)} <= set(sizes)
    assert {"PyVRP", "OR-Tools", "HGS", "elkai", "LKH"} <= set(groups[0].methods)
    assert "HGS" not in SUITES["uniform"].groups(Options(Scale.QUICK, peers=False))[0].methods


def test_a_library_needs_its_folder(tmp_path):
    with pytest.raises(InputError, match="needs --data"):
        SUITES["library"].groups(Options())
    with pytest.raises(InputError, match=r"no best_known\.csv"):
        SUITES["library"].groups(Options(data=tmp_path))


def test_methods_by_name(tmp_path):
    assert method_named("PRC10@w.safetensors").name == "PRC10@w.safetensors"
    with pytest.raises(InputError, match="unknown method 'x'"):
        method_named("x")
    with pytest.raises(InputError, match="PyVRP has no weights"):
        method_named("PyVRP@w")
    assert METHODS["auto"].timed and not METHODS["greedy"].timed
