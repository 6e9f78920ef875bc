"""Pictures of problems and solutions, readable for a hundred as well as 100,000 nodes."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sil.errors import InputError, MissingExtraError, printable
from sil.io.atomic import replacing
from sil.plan import positions as positions_of
from sil.problem import Problem
from sil.solution import Solution
from sil.units import format_cost

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_problem(problem: Problem, ax: "Axes | None" = None) -> "Axes":
    """Draw the nodes and, for CVRP, the depot; larger demands are larger dots.

    Parameters
    ----------
    problem
        The problem to draw.
    ax
        Where to draw it. Default: a new figure.
    """
    ax = _prepare(problem, ax)
    positions = positions_of(problem)
    sizes = np.full(problem.num_nodes, _dot_size(problem))
    if problem.demand is not None and problem.demand.any():
        sizes = sizes * problem.demand[1:] / problem.demand[1:].mean()
    x, y = positions[problem.nodes].T
    ax.scatter(x, y, s=sizes, color="tab:blue", linewidths=0, zorder=2)
    _mark_depot(problem, ax)
    _set_title(ax, f"{problem.name}: {problem.kind}, {problem.num_nodes:,} nodes")
    return ax


def plot_solution(solution: Solution, problem: Problem, ax: "Axes | None" = None) -> "Axes":
    """Draw the tour, or each route in its own colour with thin and pale legs to the depot.

    Parameters
    ----------
    solution
        A solution of the problem.
    problem
        The problem that it solves.
    ax
        Where to draw it. Default: a new figure.
    """
    cost = format_cost(
        solution.cost(problem)
    )  # raises an error before anything is drawn if there is none
    ax = _prepare(problem, ax)

    from matplotlib import colormaps
    from matplotlib.collections import LineCollection

    positions = positions_of(problem)
    width = float(np.clip(60 / np.sqrt(problem.num_nodes), 0.25, 1.5))
    routes = solution.routes()
    if problem.kind == "TSP":
        lines = [positions[np.append(solution.nodes, solution.nodes[:1])]]
        colours: list[Any] = ["tab:blue"]
    else:
        lines = [positions[route] for route in routes]
        palette = colormaps["tab20"]
        # Routes that are neighbours by angle get very different colours.
        rank = np.argsort(np.argsort([_angle(line, positions[0]) for line in lines]))
        colours = [palette((7 * int(place)) % 20) for place in rank]
        legs = [np.stack([positions[0], line[end]]) for line in lines for end in (0, -1)]
        pale = float(np.clip(20 / max(1, len(routes)), 0.03, 0.5))
        ax.add_collection(LineCollection(legs, colors="grey", linewidths=0.5, alpha=pale, zorder=1))
    ax.add_collection(
        LineCollection(lines, colors=colours, linewidths=width, joinstyle="round", zorder=2)
    )
    if problem.num_nodes <= 2_000:
        x, y = positions[solution.nodes].T
        ax.scatter(x, y, s=_dot_size(problem), color="black", linewidths=0, zorder=3)
    _mark_depot(problem, ax)
    ax.autoscale_view()
    detail = f", {len(routes):,} routes" if problem.kind == "CVRP" else ""
    _set_title(ax, f"{problem.name}: {problem.num_nodes:,} nodes{detail}, cost {cost}")
    return ax


def require_picture_format(path: Path) -> None:
    """Raise an error if a picture cannot be written to this path."""
    require_matplotlib()

    from matplotlib.backends.backend_agg import FigureCanvasAgg

    # PGF needs LaTeX, which may not be installed.
    known = sorted(FigureCanvasAgg.get_supported_filetypes().keys() - {"pgf"})
    if path.suffix.lower().lstrip(".") not in known:
        raise InputError(
            f"cannot draw to {printable(path)}: the file extension must be one of "
            f"{', '.join(known)}"
        )


def save_solution_picture(path: Path, solution: Solution, problem: Problem) -> None:
    """Draw a solution to a file; the file extension determines the format."""
    require_picture_format(path)

    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    # Without pyplot, no window system is needed and no figure has to be closed.
    figure = Figure(figsize=(10, 10), layout="constrained")
    FigureCanvasAgg(figure)
    plot_solution(solution, problem, figure.add_subplot())
    with replacing(path) as temporary:
        figure.savefig(temporary, dpi=200)


def _prepare(problem: Problem, ax: "Axes | None") -> "Axes":
    if ax is None:
        require_matplotlib()

        from matplotlib import pyplot

        _, ax = pyplot.subplots(figsize=(8, 8), layout="constrained")
    ax.set_aspect("equal")
    ax.set_xticks([])
    ax.set_yticks([])
    return ax


def _set_title(ax: "Axes", title: str) -> None:
    # A name may contain dollar signs, which would delimit a formula.
    ax.set_title(title, parse_math=False)


def require_matplotlib(feature: str = "drawing", extra: str = "plot") -> None:
    """Raise an error that says what to install if matplotlib is missing."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingExtraError(feature, extra) from None


def _angle(line: NDArray[np.float64], depot: NDArray[np.float64]) -> float:
    x, y = line.mean(axis=0) - depot
    return float(np.arctan2(y, x))


def _dot_size(problem: Problem) -> float:
    return float(np.clip(4_000 / problem.num_nodes, 0.15, 20))


def _mark_depot(problem: Problem, ax: "Axes") -> None:
    if problem.kind == "CVRP":
        x, y = positions_of(problem)[0]
        ax.scatter(x, y, marker="s", s=60, color="black", edgecolors="white", zorder=4)
