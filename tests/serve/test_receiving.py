import asyncio

import pytest
from fastapi import Request

from sil.serve.problems import Refusal
from sil.serve.receiving import receive


def ask(tmp_path, kind, parts, options=None):
    rest = list(parts)

    async def body():
        if not rest:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": rest.pop(0), "more_body": bool(rest)}

    headers = [(b"content-type", kind.encode())]
    request = Request({"type": "http", "method": "POST", "headers": headers, "app": None}, body)
    return asyncio.run(receive(request, tmp_path, options or {}))


def form(*fields: tuple[str, str], end="--b--\r\n") -> bytes:
    parts = "".join(
        f"--b\r\nContent-Disposition: form-data; {name}\r\n\r\n{value}\r\n"
        for name, value in fields
    )
    return (parts + end).encode()


MULTIPART = "multipart/form-data; boundary=b"


def test_json_is_saved_part_by_part_under_a_name_of_ours(tmp_path):
    upload = ask(tmp_path, "application/json; charset=utf-8", [b'{"a"', b": 1}"], {"seed": "1"})
    assert upload.path.parent == tmp_path
    assert upload.path.suffix == ".json"
    assert upload.path.read_bytes() == b'{"a": 1}'
    assert upload.options == {"seed": "1"}


@pytest.mark.parametrize(
    "name", ["../../evil.vrp", "/etc/cron.d/evil.vrp", "..\\evil.vrp", ".vrp.vrp", "a\x00b.VRP"]
)
def test_the_name_of_a_file_never_becomes_a_path(tmp_path, name):
    file = (f'name="file"; filename="{name}"', "content")
    upload = ask(tmp_path, MULTIPART, [form(file, ('name="seed"', "7"))])
    assert upload.path.parent == tmp_path
    assert upload.path.suffix == ".vrp"
    assert upload.path.stem.isalnum()
    assert upload.path.read_text() == "content"
    assert upload.options == {"seed": "7"}
    assert list(tmp_path.iterdir()) == [upload.path]


def test_equal_requests_have_equal_digests_and_others_not(tmp_path):
    digests = [
        ask(tmp_path, "application/json", [body], options).digest
        for body, options in [(b"1", {}), (b"1", {}), (b"2", {}), (b"1", {"seed": "1"})]
    ]
    assert digests[0] == digests[1]
    assert len(set(digests)) == 3


@pytest.mark.parametrize(
    ("kind", "parts", "status"),
    [
        ("text/plain", [b"x"], 415),
        ("application/json", [], 400),
        (MULTIPART, [form(('name="x"', "1"))], 422),
        (MULTIPART, [form(('name="file"', "1"))], 422),
        (MULTIPART, [form(('name="file"; filename="a.exe"', "1"))], 422),
        (MULTIPART, [form(('name="initial"', "["), ('name="file"; filename="a.vrp"', "1"))], 422),
        (MULTIPART, [form(*[(f'name="x{k}"', "1") for k in range(99)])], 400),
        (MULTIPART, [b"rubbish"], 400),
        ("multipart/form-data", [b"rubbish"], 400),
    ],
)
def test_what_cannot_be_a_submission_is_refused_and_leaves_nothing(tmp_path, kind, parts, status):
    with pytest.raises(Exception) as caught:
        ask(tmp_path, kind, parts)
    assert getattr(caught.value, "status_code", None) == status
    assert isinstance(caught.value, Refusal) or status == 400
    assert list(tmp_path.iterdir()) == []
