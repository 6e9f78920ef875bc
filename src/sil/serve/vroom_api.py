"""``POST /``: VROOM's requests answered at once, for its clients."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse

from sil.serve import schema
from sil.serve.api import Client, Served, finished, removal, submitted
from sil.serve.job import Job
from sil.serve.problems import Refusal
from sil.serve.service import Service

_USUAL = 5.0  # seconds
_STARTING = 15.0  # seconds beyond the time of a job, for reading, starting and stopping
_INPUT_ERROR, _INTERNAL = 2, 1  # VROOM's codes

router = APIRouter()


@router.post("/", openapi_extra=schema.VROOM)
@router.post("/optimization", include_in_schema=False)
async def solve(
    request: Request,
    service: Served,
    client: Client,
    max_runtime: Annotated[float | None, Query(gt=0, description="Seconds. Default: 5.")] = None,
) -> Response:
    """Solve a request of VROOM and answer in its format; also at the path of openrouteservice."""
    limits = service.settings.limits
    seconds = min(max_runtime or _USUAL, limits.max_wait, limits.max_runtime)
    try:
        service.require_room()
        job = await submitted(request, service, client, options={"max_runtime": seconds})
    except Refusal as error:
        return _refused(error)
    if not job.is_vroom:
        await run_in_threadpool(service.dispatcher.delete, job.id)
        return _refused(Refusal(422, "has no 'vehicles' and 'jobs': POST it to /jobs", "body"))
    job = await _solved(service, job, seconds, request)
    if job.cost is None:
        detail = job.message or "it waited too long in the queue"
        return _refused(Refusal(429, f"there is no solution: {detail}", retry_after=seconds))
    path = await service.written(job, ".vroom")
    return FileResponse(path, media_type="application/json", background=removal(path))


async def _solved(service: Service, job: Job, seconds: float, request: Request) -> Job:
    """Wait for a job; stop it if it is late or nobody waits any more."""
    job = await finished(service, job.id, seconds + _STARTING, request)
    if not job.state.is_final:
        await run_in_threadpool(service.dispatcher.stop, job.id)
        job = await finished(service, job.id, _STARTING, request)
    return job


def _refused(error: Refusal) -> Response:
    field = "" if error.field is None else f"{error.field} "
    code = _INPUT_ERROR if error.status_code in (415, 422) else _INTERNAL
    status = 400 if error.status_code == 422 else error.status_code
    content = {"code": code, "error": f"{field}{error.detail}"}
    return JSONResponse(content, status, dict(error.headers or {}))
