"""What clients are told when something is wrong: problem details, RFC 9457."""

import sqlite3
from collections.abc import Mapping
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from sil.errors import printable
from sil.serve.options import field_name

TYPE = "application/problem+json"


class Refusal(HTTPException):
    """A request is refused.

    Parameters
    ----------
    status
        The HTTP status.
    detail
        What is wrong and what to do.
    field
        Which field of the request is wrong, if it is one.
    retry_after
        Seconds after which it may be tried again.
    """

    def __init__(
        self, status: int, detail: str, field: str | None = None, retry_after: float | None = None
    ) -> None:
        headers = {} if retry_after is None else {"Retry-After": str(max(1, round(retry_after)))}
        super().__init__(status, detail, headers)
        self.field = field


def problem(
    status: int, detail: str, field: str | None = None, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """Make the answer."""
    content = {"title": HTTPStatus(status).phrase, "status": status, "detail": printable(detail)}
    if field is not None:
        content["field"] = printable(field)
    return JSONResponse(content, status, dict(headers or {}), media_type=TYPE)


def install(app: FastAPI) -> None:
    """Have all errors of an app answered in this way."""

    @app.exception_handler(HTTPException)
    async def refuse(request: Request, error: HTTPException) -> JSONResponse:
        del request
        headers = dict(error.headers or {})
        if error.status_code in (408, 413):
            headers["Connection"] = "close"  # the rest of the body is not read
        field = getattr(error, "field", None)
        return problem(error.status_code, str(error.detail), field, headers)

    @app.exception_handler(RequestValidationError)
    async def name_field(request: Request, error: RequestValidationError) -> JSONResponse:
        del request
        first = error.errors()[0]
        return problem(422, str(first["msg"]), field_name(tuple(first["loc"][1:])))

    @app.exception_handler(sqlite3.OperationalError)
    async def cannot_write(request: Request, error: sqlite3.OperationalError) -> JSONResponse:
        del request
        detail = f"the service cannot write to its disk now: {error}"
        return problem(507, detail, headers={"Retry-After": "30"})

    @app.exception_handler(OSError)
    async def no_space(request: Request, error: OSError) -> JSONResponse:
        del request
        detail = f"the service cannot use its disk now: {error.strerror or 'try again later'}"
        return problem(507, detail, headers={"Retry-After": "30"})
