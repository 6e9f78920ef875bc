"""The problem that a command works on: the file, and the options that say more about it."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import numpy as np
import typer

from sil import io
from sil.cli.quantities import duration, length, speed
from sil.errors import InputError
from sil.metric import Metric
from sil.problem import Problem


@dataclass(frozen=True)
class Source:
    """Where a problem comes from. Each field is an argument or an option of the command line."""

    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="Problem file: .tsp, .vrp, .npz, .json, .csv, .tsv or .xlsx."
        ),
    ]
    index: Annotated[
        int | None, typer.Option(help="Which problem of an npz file with several, counted from 0.")
    ] = None
    capacity: Annotated[
        int | None, typer.Option(help="Vehicle capacity, needed for a table with demands.")
    ] = None
    depot: Annotated[
        str | None, typer.Option(help="Name of the depot in a table. Default: the first row.")
    ] = None
    metric: Annotated[
        Metric | None,
        typer.Option(
            help="How distances are measured, whatever the file says. **EUCLIDEAN** does not round."
        ),
    ] = None
    detour: Annotated[
        float | None,
        typer.Option(
            help="For latitudes and longitudes: multiplies all distances, because roads are longer "
            "than straight lines, often by 1.2 to 1.4. For real road distances, give a matrix."
        ),
    ] = None

    max_distance: Annotated[
        str | None,
        typer.Option(
            metavar="LENGTH",
            help="Greatest length of a route: 250km, or a number without latitudes and longitudes.",
        ),
    ] = None
    max_duration: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Greatest duration of a route with its service times, such as 8h30.",
        ),
    ] = None
    service: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Service time of each customer, such as 5min."),
    ] = None
    speed: Annotated[
        str | None,
        typer.Option(metavar="SPEED", help="Speed of the vehicles, such as 50km/h."),
    ] = None
    max_vehicles: Annotated[
        int | None, typer.Option(help="Greatest number of vehicles, that is, of routes.")
    ] = None

    def read(self) -> Problem:
        """Read the problem."""
        problem = io.read(self.file, self.index, self.capacity, self.depot)
        if self.metric is Metric.HAVERSINE:
            problem = problem.with_metric(self.metric)
        if self.detour is not None:
            problem = problem.replace(detour=self.detour)
        if self.metric is not None:
            problem = problem.with_metric(self.metric)
        changes = self._limits(problem)
        return problem.replace(**changes) if changes else problem

    def _limits(self, problem: Problem) -> dict[str, Any]:
        """Return the limits that are given, in the units of the problem."""
        limits: dict[str, Any] = {}
        if self.speed is not None:
            limits["speed"] = speed(self.speed, problem, "--speed")
        if self.max_distance is not None:
            limits["max_distance"] = length(self.max_distance, problem, "--max-distance")
        if self.max_duration is not None:
            limits["max_duration"] = duration(self.max_duration, problem, "--max-duration")
            if problem.metric is Metric.HAVERSINE and self.speed is None and problem.speed == 1:
                raise InputError("--max-duration needs the speed of the vehicles: --speed 50km/h")
        if self.service is not None:
            time = duration(self.service, problem, "--service")
            limits["service"] = np.where(np.arange(problem.dimension) > 0, time, 0.0)
        if self.max_vehicles is not None:
            limits["max_vehicles"] = self.max_vehicles
        return limits


def with_source(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command, whose first parameter is a `Source`, all the options of one."""
    hints = get_type_hints(Source, include_extras=True)
    fields = inspect.signature(Source).parameters
    _, *own = inspect.signature(command, eval_str=True).parameters.values()
    given = [fields[name].replace(annotation=hints[name]) for name in fields]
    parameters = [
        each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in (given[0], *own, *given[1:])
    ]

    @wraps(command)
    def run(**options: Any) -> None:
        command(Source(**{name: options.pop(name) for name in fields}), **options)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run
