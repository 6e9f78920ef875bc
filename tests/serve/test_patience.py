import asyncio
import contextlib
import socket

import pytest
import uvicorn

from sil.serve import patience
from sil.serve.patience import PatientProtocol
from tests.serve.running import free_port


async def app(scope, receive, send):
    await receive()
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


@pytest.fixture
def talk(monkeypatch):
    """Send bytes to a server, then silence; give what came back when the connection ended."""
    monkeypatch.setattr(patience, "_HEAD_SECONDS", 0.3)

    async def exchange(port, content):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        with contextlib.suppress(ConnectionError):
            writer.write(content)
            await writer.drain()
        found = b""
        with contextlib.suppress(ConnectionError):
            found = await asyncio.wait_for(reader.read(), 10)
        writer.close()
        return found

    async def serve(content):
        port = free_port()
        config = uvicorn.Config(
            app, port=port, http=PatientProtocol, ws="none", lifespan="off", log_level="error",
            timeout_keep_alive=1,
        )  # fmt: skip
        server = uvicorn.Server(config)
        task = asyncio.create_task(server._serve([bound(port)]))
        while not server.started:
            await asyncio.sleep(0.01)
        try:
            return await exchange(port, content)
        finally:
            server.should_exit = True
            await task

    return lambda content: asyncio.run(serve(content))


def bound(port):
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    return listener


def test_a_request_is_answered(talk):
    assert talk(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").startswith(
        b"HTTP/1.1 204"
    )


@pytest.mark.parametrize("content", [b"", b"GET / HTTP/1.1\r\nHos", b"GET / HTTP/1.1\r\nA: b\r\n"])
def test_who_never_says_what_it_wants_is_sent_away(talk, content):
    assert talk(content) == b""


def test_a_head_without_end_is_cut_off(talk):
    head = b"GET / HTTP/1.1\r\n" + b"X-Long: " + b"y" * 200_000
    assert talk(head) == b""


def test_an_idle_connection_is_closed_after_an_answer(talk):
    assert talk(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").startswith(b"HTTP/1.1 204")
