"""What the app offers beside the jobs: the page and the description of the interface."""

import re

import pytest

from sil.serve.app import PAGE


def test_the_page_is_small_and_loads_nothing_from_elsewhere(client):
    page = client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    total = len(page.content)
    for path in PAGE.iterdir():
        if path.name == "index.html":
            continue
        answer = client.get(f"/page/{path.name}")
        assert answer.status_code == 200
        total += len(answer.content)
        if path.suffix == ".js":
            assert "javascript" in answer.headers["content-type"]
        links = re.findall(r"(?:https?:)?//[a-z][\w.-]+\.[a-z]+", answer.text)
        assert set(links) <= {"http://www.w3.org"}, path
    assert total < 300_000
    assert "<script>" not in page.text
    assert "style=" not in page.text


@pytest.mark.parametrize("path", ["/page/../app.py", "/page/%2e%2e/app.py", "/page/", "/page/x"])
def test_only_the_files_of_the_page_are_served(client, path):
    assert client.get(path).status_code == 404


def test_the_interface_is_described_with_examples(client):
    told = client.get("/openapi.json").json()
    body = told["paths"]["/jobs"]["post"]["requestBody"]["content"]
    for example in body["application/json"]["examples"].values():
        answer = client.post("/jobs?max_runtime=0.1", json=example["value"])
        assert answer.status_code == 202, answer.text
    assert "multipart/form-data" in body
    vroom = told["paths"]["/"]["post"]["requestBody"]["content"]["application/json"]["examples"]
    assert client.post("/?max_runtime=0.1", json=vroom["vroom"]["value"]).json()["code"] == 0
    assert client.get("/docs").status_code == 404  # it would load scripts from elsewhere
