"""The app: all paths, the page, and the guard before them."""

from pathlib import Path

from fastapi import FastAPI, Response
from fastapi.responses import FileResponse, JSONResponse
from starlette.middleware.cors import CORSMiddleware
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from sil import __version__
from sil.serve import api, problems, vroom_api
from sil.serve.guard import Guard
from sil.serve.metrics import Metrics
from sil.serve.service import Service

PAGE = Path(__file__).parent / "page"
_ABOUT = """Submit a routing problem, watch it getting better, and fetch the best solution at any
time. Errors are problem details (RFC 9457)."""


def create_app(service: Service) -> ASGIApp:
    """Make the app before a service."""
    # The usual pages about the interface load scripts from elsewhere, so there are none.
    app = FastAPI(
        title="sil", version=__version__, description=_ABOUT, docs_url=None, redoc_url=None,
        redirect_slashes=False,
    )  # fmt: skip
    settings = service.settings
    metrics = Metrics(service.store)
    app.state.service, app.state.metrics = service, metrics
    problems.install(app)
    app.include_router(api.router)
    app.include_router(vroom_api.router)

    @app.get("/health")
    async def health() -> Response:
        """Tell whether all is well."""
        well = service.dispatcher.is_alive
        return JSONResponse({"status": "ok" if well else "failing"}, 200 if well else 503)

    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        return FileResponse(PAGE / "index.html", headers={"Cache-Control": "no-cache"})

    app.mount("/page", StaticFiles(directory=PAGE), name="page")
    guarded: ASGIApp = Guard(app, settings)
    if settings.origins:
        guarded = CORSMiddleware(
            guarded,
            allow_origins=settings.origins,
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["Authorization", "Content-Type", "Idempotency-Key", "Last-Event-ID"],
            expose_headers=["Location", "Retry-After"],
        )
    return metrics.watch(guarded)
