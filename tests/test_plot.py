import matplotlib as mpl
import pytest

from sil import (
    InputError,
    InvalidSolutionError,
    Problem,
    Solution,
    construct,
    generate_cvrp,
    generate_tsp,
    plot_problem,
    plot_solution,
)
from sil.plot import require_picture_format, save_solution_picture
from tests.strategies import random_solution

mpl.use("agg")


@pytest.mark.parametrize("problem", [generate_tsp(30), generate_cvrp(30, capacity=20)])
def test_everything_is_drawn(problem):
    from matplotlib import pyplot

    solution = random_solution(problem, 0)
    ax = plot_solution(solution, problem)
    lines = ax.collections[-2 if problem.kind == "TSP" else -3].get_paths()
    assert len(lines) == solution.num_routes
    assert f"{problem.num_nodes} nodes" in ax.get_title()
    low, high = problem.layout.min(axis=0), problem.layout.max(axis=0)
    assert ax.get_xlim()[0] <= low[0] and ax.get_xlim()[1] >= high[0]

    (fresh, other) = pyplot.subplots(1, 2)[1]
    assert plot_problem(problem, fresh) is fresh
    assert len(fresh.collections[0].get_offsets()) == problem.num_nodes
    assert not other.collections
    pyplot.close("all")


@pytest.mark.parametrize("name", ["a.png", "a.svg"])
def test_pictures_are_saved(tmp_path, name):
    problem = generate_cvrp(3_000, capacity=100)
    save_solution_picture(tmp_path / name, construct(problem, "sweep"), problem)
    assert (tmp_path / name).stat().st_size > 10_000
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_unknown_picture_formats_are_refused(tmp_path):
    with pytest.raises(InputError, match="png"):
        require_picture_format(tmp_path / "a.xyz")


@pytest.mark.parametrize("name", ["$", "$\\foo$", "a_b^{", "50 % [x] & <y>", "\\$x$", "x" * 200])
@pytest.mark.parametrize("ending", [".png", ".SVG"])
def test_names_are_drawn_as_they_are(tmp_path, name, ending):
    problem = Problem([[0, 0], [1, 1], [2, 0]], name=name)
    path = tmp_path / f"a{ending}"
    save_solution_picture(path, Solution([0, 1, 2]), problem)
    assert path.stat().st_size > 1_000
    assert [found.name for found in tmp_path.iterdir()] == [path.name]


def test_titles_are_no_formulas():
    from matplotlib import pyplot

    problem = Problem([[0, 0], [1, 1], [2, 0]], name="$\\foo$")
    for ax in (plot_problem(problem), plot_solution(Solution([0, 1, 2]), problem)):
        assert ax.get_title().startswith("$\\foo$")
        assert not ax.title.get_parse_math()
    pyplot.close("all")


def test_what_is_no_solution_is_not_drawn():
    with pytest.raises(InvalidSolutionError, match="node 9 does not exist"):
        plot_solution(Solution([0, 9]), generate_tsp(2))
    with pytest.raises(InvalidSolutionError, match="the problem is a CVRP"):
        plot_solution(Solution([1, 2]), generate_cvrp(2))


def test_pictures_that_need_latex_are_refused_before(tmp_path):
    with pytest.raises(InputError, match="extension must be one of"):
        require_picture_format(tmp_path / "a.pgf")
    require_picture_format(tmp_path / "a.PNG")
