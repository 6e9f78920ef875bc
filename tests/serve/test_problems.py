import asyncio
import errno
import sqlite3

import httpx
import pytest
from fastapi import FastAPI

from sil.serve import problems
from sil.serve.problems import Refusal


@pytest.fixture
def client():
    app = FastAPI()
    problems.install(app)

    @app.get("/{what}")
    async def fail(what: str, number: int = 0):
        del number
        raise {
            "refused": Refusal(429, "busy", "queue", retry_after=2.6),
            "large": Refusal(413, "too large"),
            "disk": OSError(errno.ENOSPC, "No space left on device"),
            "database": sqlite3.OperationalError("database or disk is full"),
            "odd": Refusal(422, "line\nbreak", "a\x1b"),
        }[what]

    class Client:
        def get(self, path):
            async def ask():
                transport = httpx.ASGITransport(app)
                async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
                    return await client.get(path)

            return asyncio.run(ask())

    return Client()


def test_a_refusal_is_problem_details(client):
    answer = client.get("/refused")
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["retry-after"] == "3"
    told = {"title": "Too Many Requests", "status": 429, "detail": "busy", "field": "queue"}
    assert answer.json() == told


def test_the_connection_ends_if_the_body_was_not_read(client):
    assert client.get("/large").headers["connection"] == "close"


@pytest.mark.parametrize("what", ["disk", "database"])
def test_a_full_disk_is_said(client, what):
    answer = client.get(f"/{what}")
    assert answer.status_code == 507
    assert "disk" in answer.json()["detail"]
    assert "retry-after" in answer.headers


def test_a_wrong_parameter_is_named(client):
    assert client.get("/refused?number=x").json()["field"] == "number"


def test_odd_signs_are_escaped(client):
    assert client.get("/odd").json()["detail"] == "line\\nbreak"


def test_what_does_not_exist_is_problem_details_too(client):
    answer = client.get("/a/b/c")
    assert (answer.status_code, answer.json()["title"]) == (404, "Not Found")
