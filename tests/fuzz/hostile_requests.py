"""Hostile requests, drawn at random."""

import io
import json
import random
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.fuzz import files_arrays, files_tsplib

_HOST = b"Host: 127.0.0.1\r\n"


@dataclass(frozen=True)
class Hostile:
    """What is sent: a request, or bytes part by part with a pause after each."""

    request: dict[str, Any] | None = None
    raw: tuple[bytes, ...] = ()
    pause: float = 0.0
    goes_away: bool = False  # without waiting for an answer


@dataclass(frozen=True)
class Reply:
    """What came back; no status if the connection was closed."""

    status: int | None
    text: str


def _upload(name: str, content: bytes, **more: Any) -> Hostile:
    request = {
        "method": "POST",
        "url": "/jobs?max_runtime=0.05",
        "files": {"file": (name, content)},
    }
    return Hostile(request | more)


def _files(rng: random.Random) -> Hostile:
    """Upload a file of a case of the attack on the command."""
    generators = [*files_tsplib.GENERATORS, *files_arrays.GENERATORS]
    while True:
        case = rng.choice(generators).draw(rng)
        contents = [(n, c) for n, c in case.files.items() if isinstance(c, bytes)]
        if contents:
            return _upload(*rng.choice(contents))


def _json(rng: random.Random) -> Hostile:
    """Send JSON that is nearly ours or nearly VROOM's."""
    places = [[rng.uniform(2, 3), rng.uniform(48, 49)] for _ in range(rng.randint(1, 8))]
    vroom: dict[str, Any] = {
        "vehicles": [{"id": 1, "start": places[0], "end": places[0], "capacity": [9]}],
        "jobs": [{"id": k, "location": place, "delivery": [1]} for k, place in enumerate(places)],
    }
    ours: dict[str, Any] = {
        "locs": places,
        "depot": places[0],
        "demand": [1] * len(places),
        "capacity": 5,
    }
    value: Any = rng.choice([vroom, ours, {"problem": ours, "max_runtime": 0.05, "initial": [[1]]}])
    for _ in range(rng.randint(1, 3)):
        value = _spoiled(rng, value)
    path = rng.choice(["/jobs?max_runtime=0.05", "/?max_runtime=0.05"])
    return Hostile(
        {
            "method": "POST",
            "url": path,
            "content": json.dumps(value).encode(),
            "headers": {"Content-Type": "application/json"},
        }
    )


_ODD = [
    None,
    True,
    -1,
    0,
    2**53,
    2**64,
    10**400,
    1e308,
    -0.0,
    "",
    "x" * 1000,
    "\u0000",
    "../../etc/passwd",
    [],
    {},
    [[]],
    [[[[]]]],
    {"id": {}},
    "{{7*7}}",
    "'; DROP TABLE jobs; --",
    "\ud800",
]


def _spoiled(rng: random.Random, value: Any) -> Any:
    """Replace something in a value by something odd."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        key = rng.choice(list(value))
        if rng.random() < 0.15:
            return {name: each for name, each in value.items() if name != key}
        if rng.random() < 0.1:
            return value | {rng.choice(["weights", "service", "x", "__class__"]): rng.choice(_ODD)}
        return value | {key: _spoiled(rng, value[key])}
    if isinstance(value, list) and value and rng.random() < 0.85:
        place = rng.randrange(len(value))
        return [*value[:place], _spoiled(rng, value[place]), *value[place + 1 :]]
    return rng.choice(_ODD)


def _paths(rng: random.Random) -> Hostile:
    """Ask for what is none of the client's business."""
    name = rng.choice(
        ["/jobs/", "/page/", "/", "/jobs/0000000000000000/", "//", "/jobs/x/solution?format="]
    )
    trick = rng.choice(
        [
            "../" * 8 + "etc/passwd",
            "..%2f" * 8 + "etc%2fpasswd",
            "%2e%2e/%2e%2e/decoy.txt",
            "....//....//decoy.txt",
            "..\\..\\decoy.txt",
            "%00",
            "decoy.txt%00.js",
            "x" * 5000,
            "%ff%fe",
            "\xff",
            "$(id)",
            "`id`",
            "{{7*7}}",
            "%0d%0aX-Injected:%201",
            "jobs.sqlite",
            "../jobs.sqlite",
            "index.html/../../app.py",
            "?before=../x",
            "*",
        ]
    )
    method = rng.choice(
        ["GET", "HEAD", "DELETE", "POST", "PUT", "PATCH", "OPTIONS", "TRACE", "BREW"]
    )
    line = f"{method} {name}{trick} HTTP/1.1\r\n".encode("latin-1")
    return Hostile(raw=(line + _HOST + b"Connection: close\r\nContent-Length: 0\r\n\r\n",))


def _headers(rng: random.Random) -> Hostile:
    """Say strange things about the request."""
    trick = rng.choice(
        [
            b"Content-Length: -5",
            b"Content-Length: 5\r\nContent-Length: 6",
            b"Content-Length: 99999999999999999999",
            b"Content-Length: 1e3",
            b"Transfer-Encoding: chunked\r\nContent-Length: 3",
            b"Transfer-Encoding: gzip, chunked",
            b"Transfer-Encoding: chunked",
            b"Content-Type: multipart/form-data",
            b"Content-Type: multipart/form-data; boundary=",
            b"Content-Type: multipart/form-data; boundary=" + b"b" * 9000,
            b"Content-Type: application/json; charset=utf-7",
            b"Content-Encoding: gzip\r\nContent-Type: application/json",
            b"Expect: 100-continue",
            b"Upgrade: websocket\r\nConnection: Upgrade",
            b"Origin: http://evil.example",
            b"Host: evil.example",
            b"X-Forwarded-For: " + b"1," * 2000,
            b"Range: bytes=0-,5-,9-",
            b"Last-Event-ID: -9999999999999999999999",
            b"Last-Event-ID: \xff",
            b"Idempotency-Key: " + b"k" * 5000,
            b"Idempotency-Key: \x01",
            b"Authorization: Bearer " + b"x" * 3000,
            b"Accept: " + b"a/b;q=0.1," * 900,
            b"Cookie: " + b"c" * 60000,
            b"A: " + b"y" * 200000,
            b"\x00: 1",
            b"No-Colon",
            b" Folded: 1",
            b"If-None-Match: " + b'"x",' * 500,
        ]
    )
    line = rng.choice(
        [
            b"POST /jobs HTTP/1.1",
            b"POST / HTTP/1.1",
            b"GET /jobs HTTP/1.1",
            b"GET /page/main.js HTTP/1.1",
            b"GET / HTTP/9.9",
            b"GET /jobs/0000000000000000/events HTTP/1.1",
            b"\x16\x03\x01\x02\x00\x01",
            b"GET",
            b"",
        ]
    )
    host = b"" if b"Host" in trick else _HOST
    body = rng.choice(
        [b"", b"{}", b"0\r\n\r\n", b"ffffffffffffffffff\r\nx", b"5\r\nhello\r\n0\r\n\r\n"]
    )
    return Hostile(
        raw=(line + b"\r\n" + host + trick + b"\r\n\r\n" + body,), goes_away=rng.random() < 0.5
    )


def _slow(rng: random.Random) -> Hostile:
    """Begin and never end."""
    begin = b"POST /jobs HTTP/1.1\r\n" + _HOST + b"Content-Type: application/json\r\n"
    parts = rng.choice(
        [
            (b"",),
            (b"G", b"E"),
            (begin,),
            (begin + b"Content-Length: 500\r\n\r\n", b"{", b'"'),
            (begin + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n{\r\n"),
            (b"GET /jobs/0000000000000000/events HTTP/1.1\r\n" + _HOST + b"\r\n",),
            (b"GET /page/map.js HTTP/1.1\r\n" + _HOST + b"\r\n",) * 3,
        ]
    )
    return Hostile(raw=parts, pause=0.01, goes_away=True)


def _bombs(rng: random.Random) -> Hostile:
    """Send little that could become much."""
    return rng.choice(_BOMBS)(rng)


def _deep(rng: random.Random) -> Hostile:
    depth = rng.choice([1_000, 100_000])
    return _json_bytes(b"[" * depth + b"]" * depth)


def _claimed(rng: random.Random) -> Hostile:
    text = f"NAME : x\nTYPE : TSP\nDIMENSION : {rng.choice([10**9, 10**18, 10**30])}\n"
    text += "EDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : UPPER_ROW\n"
    return _upload("a.tsp", f"{text}EDGE_WEIGHT_SECTION\n1\n".encode())


def _zipped(rng: random.Random) -> Hostile:
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in rng.sample(["locs", "depot", "demand", "x"], 2):
            member = io.BytesIO()
            np.save(member, np.zeros((rng.choice([1_000, 2_000_000]), 2)))
            archive.writestr(f"{name}.npy", member.getvalue())
    return _upload("a.npz", found.getvalue())


def _json_bytes(content: bytes) -> Hostile:
    headers = {"Content-Type": "application/json"}
    return Hostile({"method": "POST", "url": "/jobs", "content": content, "headers": headers})


_BOMBS: list[Callable[[random.Random], Hostile]] = [
    _deep,
    _claimed,
    _zipped,
    lambda _: _json_bytes(b'{"locs": [[' + b"9" * 100_000 + b", 1], [1, 2]]}"),
    lambda _: _json_bytes(json.dumps({"locs": [[k, k] for k in range(25_000)]}).encode()),
    lambda _: _json_bytes(b" " * 9_000_000),
    lambda _: _upload("a.vrp", b"x", data={f"f{k}": "x" for k in range(500)}),
    lambda _: _upload("a.csv", b"x,y\n" + b"1,1\n" * 1_000_000),
]


KINDS: dict[str, tuple[Callable[[random.Random], Hostile], float]] = {
    "files": (_files, 4),
    "json": (_json, 4),
    "paths": (_paths, 3),
    "headers": (_headers, 3),
    "slow": (_slow, 1),
    "bombs": (_bombs, 1),
}
