"""Runs the app until it is told to stop."""

import contextlib
import os
import resource
import socket
import tempfile

import uvicorn

from sil.errors import InputError
from sil.serve.app import create_app
from sil.serve.patience import PatientProtocol
from sil.serve.service import Service
from sil.serve.settings import Settings

_MOST_FILES = 8_192
_BACKLOG = 1_024


def run(settings: Settings, host: str, port: int) -> None:
    """Serve until SIGINT or SIGTERM."""
    os.umask(0o077)  # what the service keeps is nobody else's business
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_FILES if hard == resource.RLIM_INFINITY else min(_MOST_FILES, hard)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    with _listening(host, port) as listener, contextlib.closing(Service(settings)) as service:
        tempfile.tempdir = str(service.incoming)  # large uploads are spooled there
        config = uvicorn.Config(
            create_app(service),
            http=PatientProtocol,
            ws="none",
            lifespan="off",
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=2,
        )
        shown = f"[{host}]" if ":" in host else host
        print(f"http://{shown}:{port}  (Ctrl-C ends it)", flush=True)
        uvicorn.Server(config).run(sockets=[listener])


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        raise InputError(f"{host}:{port} cannot be used: {error.strerror or error}") from error
