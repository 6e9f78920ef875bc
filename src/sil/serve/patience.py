"""Connections that are slow to say what they want, or say too much, are closed."""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_HEAD_SECONDS = 15.0
_MOST_HEAD = 65_536  # bytes
_MOST_CONNECTIONS = 2_000


class PatientProtocol(HttpToolsProtocol):
    """HTTP for a server that strangers may call."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._deadline: asyncio.TimerHandle | None = None
        self._head = 0  # bytes of the present head; -1 within a body

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        if len(self.connections) > _MOST_CONNECTIONS:
            transport.abort()
            return
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._relax()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count the bytes of a head."""
        if self._head >= 0:
            self._head += len(data)
            if self._head > _MOST_HEAD and self._deadline is not None:
                # A body may come together with the head, but no head is as long as this.
                end = data.find(b"\r\n\r\n")
                if end < 0:
                    self.transport.abort()
                    return
        super().data_received(data)

    def on_message_begin(self) -> None:
        """Begin to wait for the rest of a head."""
        self._await_head()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Stop waiting: from here on, the app has limits of its own."""
        self._relax()
        super().on_headers_complete()

    def _await_head(self) -> None:
        if self._deadline is None:
            self._head = 0
            self._deadline = self.loop.call_later(_HEAD_SECONDS, self.transport.abort)

    def _relax(self) -> None:
        self._head = -1
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
