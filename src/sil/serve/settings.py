"""What the operator of the service decides."""

import math
from dataclasses import dataclass, field
from pathlib import Path

from sil.errors import InputError, excerpt
from sil.threads import available_threads

LOOPBACK = ("127.0.0.1", "localhost", "::1")
_LEAST_TOKEN = 16  # characters


@dataclass(frozen=True)
class Limits:
    """Limits on what is accepted.

    Parameters
    ----------
    max_bytes
        Bytes of a request, and of an archive when unpacked.
    max_nodes
        Nodes of a problem.
    max_matrix
        Nodes of a problem that is given as a matrix.
    max_runtime
        Seconds that a job may ask for.
    max_wait
        Seconds that `POST /` lets its client wait.
    max_queue
        Jobs that may wait.
    max_streams
        Streams of events at the same time.
    memory_gb
        Address space of each process that works on a job, in gigabytes.
    reading_seconds
        Time for reading an upload or writing a download.
    """

    max_bytes: int = 256_000_000
    max_nodes: int = 1_000_000
    max_matrix: int = 4_000
    max_runtime: float = 3_600.0
    max_wait: float = 20.0
    max_queue: int = 100
    max_streams: int = 1_000
    memory_gb: float = 8.0
    reading_seconds: float = 120.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not 0 < value < math.inf:
                raise InputError(f"{name} is {excerpt(value)}: it must be above 0")


@dataclass(frozen=True)
class Settings:
    """How the service runs.

    Parameters
    ----------
    data
        Folder of all that it keeps.
    workers
        Jobs that run at the same time.
    threads
        Threads of each job; 0 to share the cores evenly.
    keep_seconds
        How long finished jobs are kept.
    tokens
        Names of clients by their tokens; empty to let everyone in.
    hosts
        Names by which the service may be called; empty for any.
    origins
        Origins of other web pages that may call it.
    tiles
        URL of background tiles with {z}, {x} and {y}; None for no background.
    limits
        Limits on what is accepted.
    """

    data: Path
    workers: int = 1
    threads: int = 0
    keep_seconds: float = 7 * 86_400.0
    tokens: dict[str, str] = field(default_factory=dict)
    hosts: tuple[str, ...] = LOOPBACK
    origins: tuple[str, ...] = ()
    tiles: str | None = None
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if not 1 <= self.workers <= 256:
            raise InputError(f"--workers is {self.workers}: it must be 1 to 256")
        if self.tiles is not None and not _is_tile_url(self.tiles):
            raise InputError(
                f"--tiles is {excerpt(self.tiles)}: it must begin with https:// or http:// and "
                "contain {z}, {x} and {y}"
            )

    @property
    def threads_per_job(self) -> int:
        """Threads of each job."""
        return self.threads or max(1, available_threads() // self.workers)


def read_tokens(path: Path) -> dict[str, str]:
    """Read tokens, one a line, with an optional name before a colon; names by token."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as a token file: {error}") from error
    tokens: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        name, _, token = line.strip().rpartition(":")
        if len(token) < _LEAST_TOKEN or not token.isascii() or " " in token:
            raise InputError(
                f"{path}, line {number}: a token has at least {_LEAST_TOKEN} ASCII characters "
                "without blanks; make one with: openssl rand -hex 24"
            )
        tokens[token] = name or f"token {number}"
    if not tokens:
        raise InputError(f"{path}: there is no token in this file")
    return tokens


def _is_tile_url(url: str) -> bool:
    plain = all(sign.isprintable() and sign not in "'\";, " for sign in url)
    parts = all(part in url for part in ("{z}", "{x}", "{y}"))
    return plain and parts and url.startswith(("https://", "http://"))
