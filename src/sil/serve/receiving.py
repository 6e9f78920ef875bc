"""The body of a submission, saved under a name of ours."""

import hashlib
import json
import secrets
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.requests import ClientDisconnect

from sil import io
from sil.serve.problems import Refusal

_LONGEST_FIELD = 8_000_000  # bytes; the longest are initial routes
_MOST_FIELDS = 5
_PART = 1_048_576


@dataclass
class Upload:
    """A file to be read.

    Parameters
    ----------
    path
        The file.
    title
        What the client calls it; only to be shown.
    digest
        Of its content and its options.
    options
        Options from query and form.
    """

    path: Path
    title: str
    digest: str
    options: dict[str, Any] = field(default_factory=dict)


async def receive(request: Request, folder: Path, options: dict[str, Any]) -> Upload:
    """Save the body of a request: JSON, or a form with a file."""
    kind = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    try:
        if kind == "multipart/form-data":
            return await _form(request, folder, options)
        if kind == "application/json":
            return await _json(request, folder, options)
    except ClientDisconnect:
        raise Refusal(400, "the request ended before its body was complete") from None
    raise Refusal(
        415,
        f"the content type {kind[:80]!r} is not supported: send application/json, or a file as the "
        "field 'file' of multipart/form-data",
    )


async def _json(request: Request, folder: Path, options: dict[str, Any]) -> Upload:
    path, digest = _new(folder, ".json"), hashlib.sha256()
    try:
        with path.open("wb") as file:
            async for part in request.stream():
                file.write(part)
                digest.update(part)
        return Upload(path, "unnamed", _with_options(digest.hexdigest(), options), options)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


async def _form(request: Request, folder: Path, options: dict[str, Any]) -> Upload:
    limits = {"max_files": 1, "max_fields": _MOST_FIELDS, "max_part_size": _LONGEST_FIELD}
    async with request.form(**limits) as form:
        values = dict(options)
        for name, value in form.multi_items():
            if name != "file" and isinstance(value, str):
                values[name] = _routes(value) if name == "initial" else value
        file = form.get("file")
        if not isinstance(file, UploadFile):
            raise Refusal(422, "is missing: send the problem as a file", "file")
        called = PurePosixPath(file.filename or "")
        if called.suffix.lower() not in io.PROBLEM_ENDINGS:
            raise Refusal(
                422,
                f"is called {(file.filename or '')[-60:]!r}: its name must end with one of "
                f"{', '.join(io.PROBLEM_ENDINGS)}",
                "file",
            )
        path = _new(folder, called.suffix.lower())
        try:
            digest = await run_in_threadpool(_copy, file, path)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return Upload(path, called.stem, _with_options(digest, values), values)


def _copy(file: UploadFile, path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("wb") as target:
        while part := file.file.read(_PART):
            target.write(part)
            digest.update(part)
    return digest.hexdigest()


def _routes(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise Refusal(422, "is not JSON: write it like [[3, 1], [2]]", "initial") from None


def _with_options(digest: str, options: dict[str, Any]) -> str:
    return f"{digest} {json.dumps(options, sort_keys=True, default=str)}"[:10_000]


def _new(folder: Path, ending: str) -> Path:
    return folder / f"{secrets.token_hex(12)}{ending}"
