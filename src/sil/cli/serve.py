"""The command ``sil serve``."""

from pathlib import Path
from typing import Annotated

import typer

from sil.errors import InputError, MissingExtraError
from sil.threads import MOST_THREADS


def serve(
    host: Annotated[
        str, typer.Option(help="Address to listen on. Others than loopback need a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65_535)] = 8000,
    data: Annotated[
        Path, typer.Option(file_okay=False, help="Folder of all that the service keeps.")
    ] = Path("sil-data"),
    workers: Annotated[int, typer.Option(min=1, max=256, help="Jobs at the same time.")] = 1,
    threads: Annotated[
        int | None,
        typer.Option(min=1, max=MOST_THREADS, help="Threads per job. Default: the cores, shared."),
    ] = None,
    token_file: Annotated[
        Path | None,
        typer.Option(
            help="File of tokens that let clients in, one a line; NAME:TOKEN to tell them apart."
        ),
    ] = None,
    no_auth: Annotated[
        bool, typer.Option("--no-auth", help="Let everyone in, also on other hosts than loopback.")
    ] = False,
    keep: Annotated[
        float, typer.Option(min=0, help="Days to keep finished jobs and their solutions.")
    ] = 7.0,
    memory: Annotated[float, typer.Option(min=0.5, help="Gigabytes of memory per job.")] = 8.0,
    max_nodes: Annotated[int, typer.Option(min=1, help="Largest problem.")] = 1_000_000,
    max_matrix: Annotated[
        int, typer.Option(min=1, help="Largest distance matrix, in rows.")
    ] = 4_000,
    max_megabytes: Annotated[float, typer.Option(min=0.001, help="Largest request.")] = 256.0,
    max_runtime: Annotated[float, typer.Option(min=0.1, help="Longest job, in seconds.")] = 3_600.0,
    max_queue: Annotated[int, typer.Option(min=1, help="Most jobs that wait.")] = 100,
    public_name: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Host name by which clients call; may be repeated."),
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(metavar="URL", help="Other web page that may call; may be repeated."),
    ] = None,
    tiles: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Background tiles for maps, with {z}, {x} and {y}."),
    ] = None,
) -> None:
    """Start a service that solves problems for others, with a page to watch it.

    Open http://127.0.0.1:8000 in a browser. `docs/serve.md` describes the interface for programs.
    """
    try:
        from sil.serve.server import run
        from sil.serve.settings import LOOPBACK, Limits, Settings, read_tokens
    except ModuleNotFoundError as error:
        raise MissingExtraError("the service", "serve") from error

    tokens = {} if token_file is None else read_tokens(token_file)
    if host not in LOOPBACK and not tokens and not no_auth:
        raise InputError(
            f"on {host} anybody could use this service: set --token-file, or permit it by --no-auth"
        )
    names = (*LOOPBACK, host, *(public_name or ())) if public_name or host in LOOPBACK else ()
    settings = Settings(
        data=data.absolute(),
        workers=workers,
        threads=threads or 0,
        keep_seconds=86_400 * keep,
        tokens=tokens,
        hosts=tuple(name.lower() for name in names),
        origins=tuple(allow_origin or ()),
        tiles=tiles,
        limits=Limits(
            max_bytes=int(1e6 * max_megabytes),
            max_nodes=max_nodes,
            max_matrix=max_matrix,
            max_runtime=max_runtime,
            max_queue=max_queue,
            memory_gb=memory,
        ),
    )
    run(settings, host, port)
