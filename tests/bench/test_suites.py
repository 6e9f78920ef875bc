import pytest

from sil import Metric, Problem, generate_cvrp, generate_tsp, io
from sil.bench.method_name import MethodName
from sil.bench.registry import solver_named
from sil.bench.solver import Limits
from sil.bench.suites import SUITES, Options, Scale
from sil.errors import InputError
from sil.policy.weights import pretrained, save


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
    if suite == "library" and scale is Scale.QUICK:
        pytest.skip("it takes larger instances")
    data = library if suite == "library" else None
    groups = SUITES[suite].groups(Options(scale, data=data))
    assert SUITES[suite].about.endswith(".")
    for group in groups:
        assert group.count >= 0
        assert all(solver_named(name).name == name.plain for name in group.methods)


@pytest.mark.parametrize("suite", SUITES)
def test_smoke_cases_are_small(suite, library):
    data = library if suite == "library" else None
    for group in SUITES[suite].groups(Options(Scale.SMOKE, data=data)):
        sizes = [case.problem.num_nodes for case in group.cases]
        assert len(sizes) == group.count
        assert max(sizes) <= 100
        assert max(group.seconds) <= 1


def test_uniform_compares_at_the_sizes_that_people_ask_for():
    groups = SUITES["uniform"].groups(Options(Scale.QUICK))
    sizes = [(case.problem.kind, case.problem.num_nodes) for g in groups for case in g.cases]
    for size in (1_000, 5_000, 10_000, 100_000):
        assert {("TSP", size), ("CVRP", size)} <= set(sizes)
    assert {"PyVRP", "OR-Tools", "HGS", "elkai", "LKH"} <= {str(m) for m in groups[0].methods}
    alone = SUITES["uniform"].groups(Options(Scale.QUICK, peers=False))
    assert MethodName("HGS") not in alone[0].methods


def test_a_library_needs_its_folder(tmp_path):
    with pytest.raises(InputError, match="needs --data"):
        SUITES["library"].groups(Options())
    with pytest.raises(InputError, match=r"no best_known\.csv"):
        SUITES["library"].groups(Options(data=tmp_path))


def test_a_folder_without_what_is_needed_is_an_error_at_once(library):
    for suite in ("uniform", "ablation"):
        with pytest.raises(InputError, match="leave out --data"):
            SUITES[suite].groups(Options(data=library))
    with pytest.raises(InputError, match="3,000 to 10,000 nodes"):
        SUITES["library"].groups(Options(data=library))
    for file in library.glob("*.tsp"):
        file.unlink()
    with pytest.raises(InputError, match=r"no \.tsp or \.vrp file"):
        SUITES["library"].groups(Options(data=library))


def test_an_option_that_would_be_ignored_is_an_error(tmp_path):
    for suite, options in (
        ("memory", Options(data=tmp_path)),
        ("uniform", Options(weights=(tmp_path,))),
        ("scaling", Options(peers=False)),
    ):
        with pytest.raises(InputError, match=f"the suite {suite}"):
            SUITES[suite].groups(options)


def test_a_damaged_table_of_best_known_costs_is_an_error(library):
    for text in ("name,cost\none,4\n", "instance,best_known\none\n"):
        (library / "best_known.csv").write_text(text)
        with pytest.raises(InputError, match="needs the columns"):
            SUITES["library"].groups(Options(data=library))


def test_policies_of_ones_own_are_told_apart_by_their_content(tmp_path):
    config, weights = pretrained("TSP", "fast")
    save(tmp_path / "best.safetensors", config, weights)
    options = Options(Scale.SMOKE, weights=(tmp_path / "best.safetensors",))
    (name,) = (n for n in SUITES["cross-size"].groups(options)[0].methods if n.weights)
    assert len(name.checksum) == 8
    method = solver_named(name)
    assert method.missing(generate_tsp(30)) is None
    assert method.missing(generate_cvrp(30)) == "the weights are for TSP"
    limits = Limits(0, 1, 0)
    plain = solver_named(MethodName("PRC", 2)).solve(generate_tsp(30), limits)
    assert method.solve(generate_tsp(30), limits).nodes.tolist() == plain.nodes.tolist()
