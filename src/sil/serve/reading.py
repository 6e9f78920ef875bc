"""Uploads become jobs: any format, within limits. Runs in a converter, never in the server."""

import json
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sil import io
from sil.errors import InputError, InvalidSolutionError, excerpt
from sil.io.arrays import strict_json
from sil.methods import method_named
from sil.problem import Problem
from sil.serve import vroom
from sil.serve.binary import write_points, write_routes
from sil.serve.job import Folder
from sil.serve.options import FieldError, Options, validated
from sil.solution import Solution, require_valid
from sil.validate import clean_name

_LONGEST_NAME = 80


def read_upload(
    upload: Path, title: str, given: Mapping[str, Any], folder: Folder, limits: Mapping[str, Any]
) -> dict[str, Any]:
    """Read an upload and write the files of a new job; return what its record needs.

    Parameters
    ----------
    upload
        A file under a name of the server's; its ending tells the format.
    title
        The name of the client's file, only to be shown.
    given
        Options from the query or the form.
    folder
        Where to write.
    limits
        Of the service; see `Limits`.
    """
    options = dict(given)
    answerable = None
    field = "file"
    if upload.suffix == ".json":
        field = "problem"
        values = strict_json(upload)
        if isinstance(values, dict) and "problem" in values:
            inner = values.pop("problem")
            options = values | options
            values = inner
            upload.write_text(json.dumps(inner), encoding="utf-8")
        if vroom.is_vroom(values):
            problem, answerable = vroom.read_request(values)
            _require_size(problem, limits)
    chosen: Options = validated(Options, options)
    if answerable is None:
        problem = _problem(upload, title, chosen, limits, field)
    runtime = chosen.runtime(problem.num_nodes, limits["max_runtime"])
    try:
        method_named(chosen.method, problem)
    except InputError as error:
        raise FieldError("method", str(error)) from error
    start = None if chosen.initial is None else _start(chosen.initial, problem)
    io.write(folder.problem, problem)
    write_points(folder.points, problem)
    if start is not None:
        write_routes(folder.routes, start, problem)
    if answerable is not None:
        answerable.save(folder.vroom)
    return {
        "name": problem.name,
        "kind": problem.kind,
        "metric": str(problem.metric),
        "nodes": problem.num_nodes,
        "method": chosen.method,
        "seed": chosen.seed,
        "max_runtime": runtime,
        "is_vroom": answerable is not None,
        "start_cost": None if start is None else start.cost(problem),
        "cost": None if start is None else start.cost(problem),
        "routes": 0 if start is None else start.num_routes,
    }


def _problem(
    upload: Path, title: str, options: Options, limits: Mapping[str, Any], field: str
) -> Problem:
    try:
        if upload.suffix == ".npz":
            _require_unpackable(upload, limits["max_bytes"])
        if options.capacity is not None and upload.suffix != ".csv":
            raise FieldError("capacity", "is only for csv files, which do not contain it")
        problem = io.read(upload, capacity=options.capacity)
    except FieldError:
        raise
    except InputError as error:
        message = str(error).removeprefix(f"{upload}: ")
        if upload.suffix == ".csv" and "demands need a capacity" in message:
            raise FieldError("capacity", "is missing: a csv file with demands needs one") from error
        raise FieldError(field, message) from error
    _require_size(problem, limits)
    if problem.name == upload.stem:  # the file does not say how it is called
        problem = replace(problem, name=clean_name(title)[:_LONGEST_NAME])
    return problem


def _require_size(problem: Problem, limits: Mapping[str, Any]) -> None:
    if problem.dimension > limits["max_nodes"]:
        raise FieldError(
            "nodes", f"are {problem.dimension:,}: this service allows {limits['max_nodes']:,}"
        )
    if problem.matrix is not None and problem.dimension > limits["max_matrix"]:
        raise FieldError(
            "matrix",
            f"is of {problem.dimension:,} nodes: this service allows {limits['max_matrix']:,}",
        )


def _require_unpackable(upload: Path, most: int) -> None:
    try:
        with zipfile.ZipFile(upload) as archive:
            size = sum(member.file_size for member in archive.infolist())
    except Exception as error:  # a damaged archive raises errors of many kinds
        raise FieldError(
            "file", f"is not a complete npz file: {excerpt(str(error), 200)[1:-1]}"
        ) from error
    if size > most:
        raise FieldError("file", f"would unpack to {size:,} bytes: this service allows {most:,}")


def _start(routes: list[list[int]], problem: Problem) -> Solution:
    try:
        if problem.kind == "TSP":
            if len(routes) != 1:
                raise InvalidSolutionError("a tour is one list of all nodes")
            solution = Solution(routes[0])
        else:
            solution = Solution.from_routes(routes)
        require_valid(solution, problem)
    except InvalidSolutionError as error:
        raise FieldError("initial", str(error)) from error
    return solution
