"""Who may call, how much they may send and how slowly, and headers that protect the page."""

import asyncio
import hmac
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sil.serve.problems import Refusal, problem
from sil.serve.settings import Settings

_BETWEEN_PARTS = 20.0  # seconds that a client may be silent within a body
_WHOLE_BODY = 900.0  # seconds
_SAFE = ("GET", "HEAD", "OPTIONS")


class Guard:
    """Stands before the app.

    Parameters
    ----------
    app
        The app.
    settings
        Hosts and origins that may call, and the limit on bytes.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app, self._settings = app, settings
        self._headers = {
            "Content-Security-Policy": _content_policy(settings.tiles),
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "cross-origin" if settings.origins else "same-origin",
            "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or answer it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return  # websockets are not served
        started = False

        async def protected(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        if (refusal := self._refusal(scope)) is not None:
            answer = problem(refusal.status_code, refusal.detail, headers={"Connection": "close"})
            await answer(scope, receive, protected)
            return
        try:
            await self._app(scope, self._limited(receive), protected)
        except Refusal as error:  # raised while a body was read where no handler sees it
            if not started:
                answer = problem(error.status_code, error.detail, headers={"Connection": "close"})
                await answer(scope, receive, protected)

    def _refusal(self, scope: Scope) -> Refusal | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self._settings.hosts and _name(host) not in self._settings.hosts:
            # A page elsewhere could call us by a name of its own that leads here.
            return Refusal(421, "this service does not go by that name: see sil serve --help")
        origin = headers.get("origin")
        if origin is None:
            is_foreign = headers.get("sec-fetch-site") == "cross-site"
        else:
            is_foreign = origin not in self._settings.origins and _place(origin) != host
        if is_foreign and scope["method"] not in _SAFE:
            return Refusal(403, "pages of other origins may not call this service")
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit():
            return Refusal(400, "the Content-Length is not a number")
        if len(length) > 18 or int(length) > self._settings.limits.max_bytes:
            return self._too_large()
        return None

    def _too_large(self) -> Refusal:
        most = self._settings.limits.max_bytes
        return Refusal(413, f"the request is too large: at most {most:,} bytes are accepted")

    def _limited(self, receive: Receive) -> Receive:
        """Count the bytes of a body, and do not wait for ever for its next part."""
        seen, complete = 0, False
        begun = asyncio.get_running_loop().time()

        async def limited() -> Message:
            nonlocal seen, complete
            if complete:  # now this waits for the client to go away
                return await receive()
            left = begun + _WHOLE_BODY - asyncio.get_running_loop().time()
            try:
                message = await asyncio.wait_for(receive(), max(0.0, min(_BETWEEN_PARTS, left)))
            except TimeoutError:
                raise Refusal(408, "the request came too slowly") from None
            seen += len(message.get("body", b""))
            complete = not message.get("more_body", False)
            if seen > self._settings.limits.max_bytes:
                raise self._too_large()
            return message

        return limited


def client_of(authorization: str | None, address: str, tokens: dict[str, str]) -> str | None:
    """Name a client by its token, or by its address if no tokens are needed; None: not let in."""
    if not tokens:
        return address
    scheme, _, given = (authorization or "").partition(" ")
    found = None
    for token, name in tokens.items():  # all of them, so that the time does not tell which
        if hmac.compare_digest(token.encode(), given.strip().encode("utf-8", "replace")):
            found = name
    return found if scheme.lower() == "bearer" else None


def _name(host: str) -> str:
    """Return a host without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()


def _place(origin: str) -> str | None:
    """Return host and port of an origin; None if it is none."""
    try:
        return urlsplit(origin).netloc or None
    except ValueError:
        return None


def _content_policy(tiles: str | None) -> str:
    pictures = "'self' data:"
    if tiles is not None:
        address = urlsplit(tiles)
        pictures += f" {address.scheme}://{address.netloc.replace('{s}', '*')}"
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        f"img-src {pictures}; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    )
