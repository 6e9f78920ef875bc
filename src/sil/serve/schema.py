"""What requests and answers look like, for OpenAPI and for people."""

from typing import Any

from pydantic import BaseModel, Field

from sil.serve.job import State
from sil.serve.options import Options

_TINY = {
    "locs": [[0.2, 0.7], [0.9, 0.1], [0.4, 0.4]],
    "depot": [0.5, 0.5],
    "demand": [3, 1, 2],
    "capacity": 4,
}
_VROOM = {
    "vehicles": [{"id": 1, "start": [2.35, 48.86], "end": [2.35, 48.86], "capacity": [4]}],
    "jobs": [
        {"id": 1, "location": [2.29, 48.85], "delivery": [1]},
        {"id": 2, "location": [2.39, 48.87], "delivery": [2]},
    ],
}


class Accepted(BaseModel):
    """A job was accepted."""

    id: str = Field(examples=["5d2c1f0a9b8e7d6c"])
    state: State


class Share(BaseModel):
    """The share of one reconstructor."""

    name: str
    rounds: int
    seconds: float
    gain: float


class JobInfo(BaseModel):
    """How a job is getting on. Times are seconds since 1970."""

    id: str
    state: State
    name: str
    kind: str
    metric: str
    nodes: int
    method: str
    seed: int
    max_runtime: float
    created: float
    started: float | None
    finished: float | None
    start_cost: float | None = Field(description="Cost of the first solution.")
    cost: float | None = Field(description="Cost of the best solution so far.")
    rounds: int
    elapsed: float = Field(description="Seconds spent on solving.")
    routes: int
    message: str = Field(description="What went wrong, in words.")
    shares: list[Share]
    place: int | None = Field(None, description="Place in the queue, from 1.")


class JobPage(BaseModel):
    """A page of jobs, the newest first."""

    jobs: list[JobInfo]
    next: str | None = Field(description="Pass this as `before` for the next page.")


class Offered(BaseModel):
    """What this service offers."""

    version: str
    methods: list[str]
    endings: list[str] = Field(description="Of files that are read.")
    max_runtime: float
    max_nodes: int
    max_bytes: int
    workers: int
    tiles: str | None


class Problem(BaseModel):
    """What is wrong (RFC 9457)."""

    title: str
    status: int
    detail: str
    field: str | None = None


def _content(kind: str, schema: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {kind: {"schema": schema or {"type": "string"}, **more}}


REFUSALS: dict[int | str, dict[str, Any]] = {
    401: {"model": Problem, "description": "A token is needed."},
    404: {"model": Problem, "description": "There is no such job."},
    413: {"model": Problem, "description": "The request is too large."},
    422: {"model": Problem, "description": "The named field is wrong."},
    429: {"model": Problem, "description": "Busy: try again after Retry-After."},
}
SUBMIT: dict[str, Any] = {
    "parameters": [
        {
            "name": name,
            "in": "query",
            "schema": schema,
            "description": schema.get("description", ""),
        }
        for name, schema in Options.model_json_schema()["properties"].items()
        if name != "initial"
    ],
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {"type": "object"},
                "examples": {
                    "sil": {"summary": "Our JSON, options in the query", "value": _TINY},
                    "with options": {
                        "summary": "Our JSON with options and routes to start from",
                        "value": {
                            "problem": _TINY,
                            "max_runtime": 10,
                            "seed": 1,
                            "method": "auto",
                            "initial": [[1, 2], [3]],
                        },
                    },
                    "vroom": {"summary": "VROOM's JSON", "value": _VROOM},
                },
            },
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {
                        "file": {"type": "string", "format": "binary"},
                        "initial": {"type": "string", "examples": ["[[1, 2], [3]]"]},
                    },
                }
            },
        },
    },
}
SOLUTION: dict[str, Any] = {
    "responses": {
        200: {
            "description": "The best solution so far.",
            "content": _content("application/json", {"type": "object"})
            | _content("text/plain")
            | _content("application/geo+json", {"type": "object"})
            | _content("text/csv"),
        }
    }
}
_BYTES = _content("application/octet-stream", {"type": "string", "format": "binary"})
BINARY: dict[str, Any] = {"responses": {200: {"description": "Bytes.", "content": _BYTES}}}
TEXT: dict[str, Any] = {
    "responses": {200: {"description": "Figures.", "content": _content("text/plain")}}
}
EVENTS: dict[str, Any] = {
    "responses": {
        200: {
            "description": "Server-sent events: progress, state and, last, end.",
            "content": _content(
                "text/event-stream",
                example='id: 2\nevent: progress\ndata: {"elapsed": 1.2, "rounds": 9, "cost": 34.5, '
                '"routes": 7}\n\n',
            ),
        }
    }
}
VROOM: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {"type": "object"},
                "examples": {"vroom": {"value": _VROOM}},
            }
        },
    },
    "responses": {
        200: {
            "description": "VROOM's answer.",
            "content": _content("application/json", {"type": "object"}),
        }
    },
}
