import asyncio

import pytest

from sil.serve import guard
from sil.serve.guard import Guard, client_of
from sil.serve.settings import Limits, Settings


def ask(settings, headers=(), method="POST", parts=(b"body",), pause=0.0):
    """Send a request through the guard to an app that reads its body; give status and headers."""
    sent = []
    rest = list(parts)

    async def app(scope, receive, send):
        more = True
        while more:
            message = await receive()
            more = message.get("more_body", False)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def receive():
        await asyncio.sleep(pause)
        return {"type": "http.request", "body": rest.pop(0), "more_body": bool(rest)}

    async def send(message):
        sent.append(message)

    raw = [(name.encode(), value.encode()) for name, value in headers]
    scope = {"type": "http", "method": method, "path": "/jobs", "headers": raw}
    asyncio.run(Guard(app, settings)(scope, receive, send))
    return sent[0]["status"], {name.decode(): v.decode() for name, v in sent[0]["headers"]}


@pytest.fixture
def settings(tmp_path):
    return Settings(tmp_path, limits=Limits(max_bytes=10), tiles="https://t.example/{z}/{x}/{y}")


HOST = ("host", "127.0.0.1:8000")


def test_every_answer_has_the_headers_of_security(settings):
    for headers in ([HOST], [("host", "evil.example")]):
        _, found = ask(settings, headers)
        policy = found["content-security-policy"]
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        assert "img-src 'self' data: https://t.example" in policy
        assert found["x-content-type-options"] == "nosniff"
        assert found["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ([HOST], 200),
        ([("host", "localhost")], 200),
        ([("host", "[::1]:80")], 200),
        ([("host", "evil.example")], 421),
        ([("host", "127.0.0.1.evil.example")], 421),
        ([], 421),
        ([HOST, ("origin", "http://127.0.0.1:8000")], 200),
        ([HOST, ("origin", "http://127.0.0.1:9000")], 403),
        ([HOST, ("origin", "null")], 403),
        ([HOST, ("origin", "http://[")], 403),
        ([HOST, ("sec-fetch-site", "cross-site")], 403),
        ([HOST, ("content-length", "11")], 413),
        ([HOST, ("content-length", "9" * 30)], 413),
        ([HOST, ("content-length", "-1")], 400),
        ([HOST, ("content-length", "٣")], 400),
    ],
)
def test_who_may_call(settings, headers, status):
    assert ask(settings, headers)[0] == status


def test_reading_is_open_to_links_from_elsewhere(settings):
    headers = [HOST, ("sec-fetch-site", "cross-site")]
    assert ask(settings, headers, method="GET")[0] == 200


def test_a_body_is_counted_as_it_comes(settings):
    assert ask(settings, [HOST], parts=[b"12345", b"12345"])[0] == 200
    status, headers = ask(settings, [HOST], parts=[b"12345", b"123456", b"1"])
    assert (status, headers["connection"]) == (413, "close")


def test_a_body_must_not_come_too_slowly(settings, monkeypatch):
    monkeypatch.setattr(guard, "_BETWEEN_PARTS", 0.05)
    assert ask(settings, [HOST], pause=1.0)[0] == 408


def test_other_pages_may_call_if_the_operator_says_so(tmp_path):
    settings = Settings(tmp_path, origins=("https://ours.example",))
    assert ask(settings, [HOST, ("origin", "https://ours.example")])[0] == 200
    assert ask(settings, [HOST, ("origin", "https://other.example")])[0] == 403


def test_any_name_is_fine_if_none_is_set(tmp_path):
    assert ask(Settings(tmp_path, hosts=()), [("host", "some.where")])[0] == 200


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("Bearer " + "a" * 20, "web"),
        ("bearer " + "b" * 20, "bot"),
        ("Basic " + "a" * 20, None),
        ("Bearer " + "a" * 19, None),
        ("Bearer ä", None),
        ("Bearer", None),
        ("", None),
        (None, None),
    ],
)
def test_a_token_names_its_client(header, name):
    assert client_of(header, "10.0.0.1", {"a" * 20: "web", "b" * 20: "bot"}) == name


def test_without_tokens_the_address_names_it():
    assert client_of(None, "10.0.0.1", {}) == "10.0.0.1"
