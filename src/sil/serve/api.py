"""The answers to requests about jobs."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from fastapi.responses import FileResponse, JSONResponse
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool

from sil import __version__
from sil.io import PROBLEM_ENDINGS
from sil.methods import METHODS
from sil.serve import schema
from sil.serve.guard import client_of
from sil.serve.job import Job
from sil.serve.problems import Refusal
from sil.serve.receiving import receive
from sil.serve.service import Service

_BETWEEN_EVENTS = 0.25  # seconds
_PING = 15  # seconds
_MOST_AT_ONCE = 500  # events
_MOST_PER_PAGE = 200
# Content types by the formats of ?format=; the first that a client accepts is sent.
_TYPES = {
    "json": "application/json",
    "sol": "text/plain",
    "tour": "text/plain",
    "geojson": "application/geo+json",
    "csv": "text/csv",
    "npz": "application/zip",
    "bin": "application/octet-stream",
    "vroom": "application/json",
}


def service_of(request: Request) -> Service:
    """Return the service behind the app."""
    service: Service = request.app.state.service
    return service


def let_in(request: Request, authorization: Annotated[str | None, Header()] = None) -> str:
    """Name the client, or refuse."""
    address = request.client.host if request.client else "unknown"
    client = client_of(authorization, address, service_of(request).settings.tokens)
    if client is None:
        raise Refusal(401, "this service needs a token: send it as Authorization: Bearer TOKEN")
    return client


Served = Annotated[Service, Depends(service_of)]
Client = Annotated[str, Depends(let_in)]
IdempotencyKey = Annotated[
    str | None,
    Header(description="Any text of your choice; the same text never makes a second job."),
]
router = APIRouter(responses=schema.REFUSALS)


@router.post("/jobs", status_code=202, response_model=schema.Accepted, openapi_extra=schema.SUBMIT)
async def submit(
    request: Request, service: Served, client: Client, idempotency_key: IdempotencyKey = None
) -> Response:
    """Submit a problem: our JSON, VROOM's JSON, or a file of any format that sil reads."""
    if idempotency_key is None:
        service.require_room()
    options = dict(request.query_params)
    job = await submitted(request, service, client, options, idempotency_key)
    return JSONResponse({"id": job.id, "state": job.state}, 202, {"Location": f"/jobs/{job.id}"})


async def submitted(
    request: Request,
    service: Service,
    client: str,
    options: dict[str, Any],
    key: str | None = None,
) -> Job:
    """Take the body of a request as a job."""
    with service.receiving():
        upload = await receive(request, service.incoming, options)
    try:
        earlier = service.submitted_before(client, key, upload)
        job = earlier or await service.submit(upload, client, key)
    finally:
        await run_in_threadpool(upload.path.unlink, missing_ok=True)
    if earlier is None:
        request.app.state.metrics.submitted.inc()
    return job


@router.get("/jobs", response_model=schema.JobPage)
async def list_jobs(
    service: Served,
    client: Client,
    limit: Annotated[int, Query(ge=1, le=_MOST_PER_PAGE)] = 50,
    before: Annotated[str | None, Query(description="`next` of the page before.")] = None,
) -> Response:
    """List jobs, the newest first."""
    del client
    if before is not None:
        service.job(before)
    jobs = service.store.page(limit, before)
    following = jobs[-1].id if len(jobs) == limit else None
    return JSONResponse({"jobs": [job.public() for job in jobs], "next": following})


@router.get("/jobs/{job_id}", response_model=schema.JobInfo)
async def show(job_id: str, service: Served, client: Client) -> Response:
    """Show how a job is getting on."""
    del client
    job = service.job(job_id)
    return JSONResponse(job.public() | {"place": service.store.place(job_id)})


@router.get("/jobs/{job_id}/solution", openapi_extra=schema.SOLUTION)
async def solution(
    job_id: str,
    request: Request,
    service: Served,
    client: Client,
    wanted: Annotated[
        str | None, Query(alias="format", description=f"One of {', '.join(_TYPES)}.")
    ] = None,
) -> Response:
    """Hand out the best solution so far, at any time."""
    del client
    job = service.job(job_id)
    chosen = _format(job, wanted, request.headers.get("accept", "*/*"))
    if not service.folder(job).routes.exists():
        raise Refusal(409, "there is no solution yet: try again in a moment", retry_after=1)
    if chosen == "bin":
        content = await run_in_threadpool(service.folder(job).routes.read_bytes)
        return Response(content, media_type=_TYPES[chosen])
    path = await service.written(job, f".{chosen}")
    name = f"{_file_name(job)}.{'json' if chosen == 'vroom' else chosen}"
    return FileResponse(path, media_type=_TYPES[chosen], filename=name, background=removal(path))


@router.get("/jobs/{job_id}/points", openapi_extra=schema.BINARY)
async def points(job_id: str, service: Served, client: Client) -> Response:
    """Hand out where the nodes lie on the map, for the page."""
    del client
    path = service.folder(service.job(job_id)).points
    return FileResponse(path, media_type=_TYPES["bin"])


@router.get("/jobs/{job_id}/problem", openapi_extra=schema.BINARY)
async def problem(job_id: str, service: Served, client: Client) -> Response:
    """Hand out the problem, as npz."""
    del client
    job = service.job(job_id)
    return FileResponse(
        service.folder(job).problem, media_type=_TYPES["npz"], filename=f"{_file_name(job)}.npz"
    )


@router.get("/jobs/{job_id}/events", openapi_extra=schema.EVENTS)
async def events(
    job_id: str,
    service: Served,
    client: Client,
    last_event_id: Annotated[str | None, Header()] = None,
) -> Response:
    """Stream what happens to a job, until its end. Resumable with Last-Event-ID."""
    del client
    service.job(job_id)
    known = last_event_id is not None and last_event_id.isascii() and last_event_id.isdigit()
    after = int(last_event_id[:18]) if known and last_event_id else 0
    if service.bells.listeners >= service.settings.limits.max_streams:
        raise Refusal(429, "too many streams are open", retry_after=5)
    return EventSourceResponse(_stream(service, job_id, after), ping=_PING, send_timeout=30)


async def _stream(service: Service, name: str, after: int) -> AsyncIterator[ServerSentEvent]:
    with service.bells.listening(name) as bell:
        while True:
            bell.clear()
            job = service.store.get(name)  # before its events, so that none is missed at the end
            events = service.store.events(name, after, _MOST_AT_ONCE)
            for event in events:
                after = event.number
                yield ServerSentEvent(event.data, event=event.kind, id=str(event.number))
            if len(events) == _MOST_AT_ONCE:
                continue
            if job is None or (job.state.is_final and after >= job.event):
                final = {} if job is None else job.public()
                yield ServerSentEvent(json.dumps(final), event="end")
                return
            await bell.wait()
            await asyncio.sleep(_BETWEEN_EVENTS)


@router.post("/jobs/{job_id}/cancel", response_model=schema.JobInfo)
async def cancel(job_id: str, service: Served, client: Client) -> Response:
    """Stop a job and keep its best solution."""
    del client
    service.job(job_id)
    job = await run_in_threadpool(service.dispatcher.stop, job_id)
    if job is None:
        raise Refusal(404, "there is no such job")
    return JSONResponse(job.public() | {"place": None}, 202)


@router.delete("/jobs/{job_id}", status_code=204)
async def delete(job_id: str, service: Served, client: Client) -> Response:
    """Stop a job and free all that it uses."""
    del client
    service.job(job_id)
    await run_in_threadpool(service.dispatcher.delete, job_id)
    return Response(status_code=204)


@router.get("/metrics", openapi_extra=schema.TEXT)
async def metrics(request: Request, client: Client) -> Response:
    """Figures for Prometheus."""
    del client
    return Response(request.app.state.metrics.text(), media_type="text/plain; version=0.0.4")


@router.get("/settings", response_model=schema.Offered)
async def offered(service: Served, client: Client) -> Response:
    """Tell what this service offers."""
    del client
    limits = service.settings.limits
    return JSONResponse(
        {
            "version": __version__,
            "methods": list(METHODS),
            "endings": list(PROBLEM_ENDINGS),
            "max_runtime": limits.max_runtime,
            "max_nodes": limits.max_nodes,
            "max_bytes": limits.max_bytes,
            "workers": service.settings.workers,
            "tiles": service.settings.tiles,
        }
    )


def _format(job: Job, wanted: str | None, accept: str) -> str:
    if wanted is not None:
        if wanted not in _TYPES:
            raise Refusal(422, f"must be one of {', '.join(_TYPES)}", "format")
        wrong = {"TSP": "sol", "CVRP": "tour"}[job.kind]
        if wanted == wrong or (wanted == "vroom" and not job.is_vroom):
            raise Refusal(
                422, f"a solution of this {job.kind} cannot be written as {wanted}", "format"
            )
        return wanted
    accepted = [part.partition(";")[0].strip().lower() for part in accept.split(",")]
    own = {"text/plain": {"TSP": "tour", "CVRP": "sol"}[job.kind]}
    for kind in accepted:
        if kind in ("*/*", "application/*", "application/json"):
            return "json"
        if kind in own:
            return own[kind]
        for name in ("geojson", "csv", "npz", "bin"):
            if kind == _TYPES[name]:
                return name
    raise Refusal(406, f"none of {accept[:100]!r} can be sent: see ?format=")


def _file_name(job: Job) -> str:
    """Name a download; only letters, digits and a few signs."""
    kept = "".join(sign if sign.isascii() and sign.isalnum() else "-" for sign in job.name)
    return kept.strip("-")[:60] or job.id


def removal(path: Path) -> BackgroundTask:
    """Return what removes a written solution after it was sent."""
    return BackgroundTask(shutil.rmtree, path.parent, ignore_errors=True)


async def finished(service: Service, name: str, seconds: float, request: Request) -> Job:
    """Wait until a job is finished or the time is up or the client has gone away."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    with service.bells.listening(name) as bell:
        while True:
            bell.clear()
            job = service.job(name)
            if job.state.is_final or loop.time() >= end or await request.is_disconnected():
                return job
            try:
                await asyncio.wait_for(bell.wait(), min(1.0, max(0.0, end - loop.time())))
            except TimeoutError:
                continue
