"""Runs the app until it is told to stop."""

import contextlib
import os
import resource
import tempfile

import uvicorn

from sil.errors import InputError
from sil.serve.app import create_app
from sil.serve.patience import PatientProtocol
from sil.serve.settings import Settings

_MOST_FILES = 8_192


def run(settings: Settings, host: str, port: int) -> None:
    """Serve until SIGINT or SIGTERM."""
    os.umask(0o077)  # what the service keeps is nobody else's business
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_FILES if hard == resource.RLIM_INFINITY else min(_MOST_FILES, hard)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    app = create_app(settings)
    tempfile.tempdir = str(settings.data / "incoming")  # large uploads are spooled there
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=PatientProtocol,
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=2,
        backlog=1024,
    )
    server = uvicorn.Server(config)
    server.run()
    if not server.started:
        raise InputError(f"{host}:{port} cannot be used: see the message above")
