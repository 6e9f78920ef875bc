"""A client of the service: submit problems, follow jobs, fetch solutions.

>>> from sil.client import Client
>>> with Client("http://127.0.0.1:8000") as client:
...     job = client.submit("stops.vrp", max_runtime=10)
...     for event in client.events(job.id):
...         print(event.elapsed, event.cost)
...     solution = client.solution(job.id)

`AsyncClient` has the same methods for asyncio.
"""

import asyncio
import json
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from sil import io
from sil.errors import MissingExtraError, SilError
from sil.problem import Problem
from sil.solution import Solution

if TYPE_CHECKING:
    import httpx

Submittable = Problem | Path | str | Mapping[str, Any]

_USUAL = "http://127.0.0.1:8000"
_PAUSE = 0.5  # seconds before a broken stream is opened again
_MOST_BREAKS = 60  # in a row


class ServiceError(SilError):
    """The service refuses a request.

    Parameters
    ----------
    status
        The HTTP status.
    detail
        What is wrong and what to do.
    field
        Which field of the request is wrong, if it is one.
    retry_after
        Seconds after which it may be tried again, if the service says so.
    """

    def __init__(
        self, status: int, detail: str, field: str | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(f"{field}: {detail}" if field else detail)
        self.status, self.field, self.retry_after = status, field, retry_after


@dataclass(frozen=True)
class JobStatus:
    """How a job is getting on.

    Parameters
    ----------
    id
        Its name.
    state
        queued, running, done, cancelled or failed.
    name, kind, nodes
        The problem.
    cost, start_cost
        Cost of the best and of the first solution; None if there is none yet.
    rounds, elapsed, routes
        Rounds done, seconds spent on solving, and number of routes.
    message
        What went wrong, in words.
    """

    id: str
    state: str
    name: str = ""
    kind: str = ""
    nodes: int = 0
    cost: float | None = None
    start_cost: float | None = None
    rounds: int = 0
    elapsed: float = 0.0
    routes: int = 0
    message: str = ""

    @property
    def is_final(self) -> bool:
        """Whether nothing will happen any more."""
        return self.state in ("done", "cancelled", "failed")


@dataclass(frozen=True)
class ProgressEvent:
    """An improvement, or that work goes on.

    Parameters
    ----------
    number
        Pass the last one to `events` to go on from there.
    elapsed
        Seconds spent on solving.
    rounds
        Rounds done.
    cost
        Cost of the best solution so far.
    """

    number: int
    elapsed: float
    rounds: int
    cost: float


class Client:
    """Talks with the service.

    Parameters
    ----------
    url
        Where it runs.
    token
        What lets this client in, if the service wants one.
    timeout
        Seconds to wait for an answer.
    """

    def __init__(self, url: str = _USUAL, token: str | None = None, timeout: float = 60.0) -> None:
        self._http = _httpx().Client(base_url=url, headers=_headers(token), timeout=timeout)

    def submit(self, problem: Submittable, **options: Any) -> JobStatus:
        """Submit a problem; for the arguments see `AsyncClient.submit`."""
        return _status(self._ask("POST", "/jobs", **_submission(problem, options)))

    def job(self, name: str) -> JobStatus:
        """Ask how a job is getting on."""
        return _status(self._ask("GET", f"/jobs/{name}"))

    def events(self, name: str, after: int = 0) -> Iterator[ProgressEvent]:
        """Follow a job until its end, also over broken connections."""
        reader = _EventReader(after)
        while not reader.has_ended:
            try:
                with self._http.stream("GET", f"/jobs/{name}/events", **reader.request()) as stream:
                    if stream.is_error:
                        stream.read()
                    for line in _answered(stream).iter_lines():
                        if (event := reader.take(line)) is not None:
                            yield event
            except _httpx().TransportError as error:
                reader.note_break(error)
                time.sleep(_PAUSE)

    def wait(self, name: str) -> JobStatus:
        """Wait for the end of a job."""
        for _ in self.events(name):
            pass
        return self.job(name)

    def solution(self, name: str) -> Solution:
        """Fetch the best solution so far."""
        return _solution(self._ask("GET", f"/jobs/{name}/solution?format=npz").content)

    def cancel(self, name: str) -> JobStatus:
        """Stop a job and keep its best solution."""
        return _status(self._ask("POST", f"/jobs/{name}/cancel"))

    def delete(self, name: str) -> None:
        """Stop a job and free all that it uses."""
        self._ask("DELETE", f"/jobs/{name}")

    def _ask(self, method: str, path: str, **more: Any) -> "httpx.Response":
        try:
            return _answered(self._http.request(method, path, **more))
        except _httpx().HTTPError as error:
            raise _unreachable(error) from error

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.close()


class AsyncClient:
    """Talks with the service from asyncio.

    Parameters
    ----------
    url
        Where it runs.
    token
        What lets this client in, if the service wants one.
    timeout
        Seconds to wait for an answer.
    """

    def __init__(self, url: str = _USUAL, token: str | None = None, timeout: float = 60.0) -> None:
        self._http = _httpx().AsyncClient(base_url=url, headers=_headers(token), timeout=timeout)

    async def submit(self, problem: Submittable, **options: Any) -> JobStatus:
        """Submit a problem.

        Parameters
        ----------
        problem
            A problem, a file, or JSON as a mapping, also in VROOM's format.
        options
            max_runtime, seed, method, capacity; initial, a `Solution` to start from; key, an
            idempotency key.
        """
        return _status(await self._ask("POST", "/jobs", **_submission(problem, options)))

    async def job(self, name: str) -> JobStatus:
        """Ask how a job is getting on."""
        return _status(await self._ask("GET", f"/jobs/{name}"))

    async def events(self, name: str, after: int = 0) -> AsyncIterator[ProgressEvent]:
        """Follow a job until its end, also over broken connections."""
        reader = _EventReader(after)
        while not reader.has_ended:
            request = self._http.stream("GET", f"/jobs/{name}/events", **reader.request())
            try:
                async with request as stream:
                    if stream.is_error:
                        await stream.aread()
                    async for line in _answered(stream).aiter_lines():
                        if (event := reader.take(line)) is not None:
                            yield event
            except _httpx().TransportError as error:
                reader.note_break(error)
                await asyncio.sleep(_PAUSE)

    async def wait(self, name: str) -> JobStatus:
        """Wait for the end of a job."""
        async for _ in self.events(name):
            pass
        return await self.job(name)

    async def solution(self, name: str) -> Solution:
        """Fetch the best solution so far."""
        answer = await self._ask("GET", f"/jobs/{name}/solution?format=npz")
        return _solution(answer.content)

    async def cancel(self, name: str) -> JobStatus:
        """Stop a job and keep its best solution."""
        return _status(await self._ask("POST", f"/jobs/{name}/cancel"))

    async def delete(self, name: str) -> None:
        """Stop a job and free all that it uses."""
        await self._ask("DELETE", f"/jobs/{name}")

    async def _ask(self, method: str, path: str, **more: Any) -> "httpx.Response":
        try:
            return _answered(await self._http.request(method, path, **more))
        except _httpx().HTTPError as error:
            raise _unreachable(error) from error

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._http.aclose()


class _EventReader:
    """Reads server-sent events line by line, and knows where to go on after a break."""

    def __init__(self, after: int) -> None:
        self.has_ended = False
        self._after, self._breaks = after, 0
        self._fields: dict[str, str] = {}

    def request(self) -> dict[str, Any]:
        self._fields = {}
        return {"headers": {"Last-Event-ID": str(self._after)}, "timeout": 60.0}

    def note_break(self, error: Exception) -> None:
        self._breaks += 1
        if self._breaks > _MOST_BREAKS:
            raise _unreachable(error) from error

    def take(self, line: str) -> ProgressEvent | None:
        if line:
            name, _, value = line.partition(":")
            self._fields[name] = value.removeprefix(" ")
            return None
        done, self._fields = self._fields, {}
        if "data" not in done:
            return None
        self._breaks = 0
        self._after = int(done.get("id", self._after))
        self.has_ended = done.get("event") == "end"
        if done.get("event") != "progress":
            return None
        figures = json.loads(done["data"])
        return ProgressEvent(self._after, figures["elapsed"], figures["rounds"], figures["cost"])


def _submission(problem: Submittable, options: dict[str, Any]) -> dict[str, Any]:
    given = {name: value for name, value in options.items() if value is not None}
    initial, key = given.pop("initial", None), given.pop("key", None)
    request: dict[str, Any] = {"headers": {} if key is None else {"Idempotency-Key": key}}
    routes = None if initial is None else [route.tolist() for route in initial.routes()]
    if isinstance(problem, Mapping):
        more = {} if routes is None else {"initial": routes}
        return request | {"json": {"problem": dict(problem), **given, **more}}
    request["params"] = given
    if routes is not None:
        request["data"] = {"initial": json.dumps(routes)}
    if isinstance(problem, Problem):
        with tempfile.TemporaryDirectory(prefix="sil-client-") as folder:
            path = Path(folder) / "problem.npz"
            io.write(path, problem)
            return request | {"files": {"file": ("problem.npz", path.read_bytes())}}
    path = Path(problem)
    try:
        return request | {"files": {"file": (path.name, path.read_bytes())}}
    except OSError as error:
        raise SilError(f"{path}: cannot be read: {error.strerror}") from error


def _answered(answer: "httpx.Response") -> "httpx.Response":
    """Return an answer, or raise what it says is wrong."""
    if not answer.is_error:
        return answer
    try:
        told = answer.json()
        detail, field = str(told["detail"]), told.get("field")
    except (ValueError, KeyError, TypeError):
        detail, field = f"the service answered {answer.status_code}", None
    after = answer.headers.get("retry-after", "")
    raise ServiceError(answer.status_code, detail, field, float(after) if after.isdigit() else None)


def _status(answer: "httpx.Response") -> JobStatus:
    told = answer.json()
    return JobStatus(
        **{each.name: told[each.name] for each in fields(JobStatus) if each.name in told}
    )


def _solution(content: bytes) -> Solution:
    with tempfile.TemporaryDirectory(prefix="sil-client-") as folder:
        path = Path(folder) / "solution.npz"
        path.write_bytes(content)
        return io.read_solution(path)


def _unreachable(error: Exception) -> SilError:
    return SilError(f"the service cannot be reached: {error}")


def _headers(token: str | None) -> dict[str, str]:
    return {} if token is None else {"Authorization": f"Bearer {token}"}


def _httpx() -> Any:
    try:
        import httpx
    except ModuleNotFoundError as error:
        raise MissingExtraError("the client", "client") from error
    return httpx
