"""The page in a real browser: what people do, and what they see."""

import json
import os
import re
import shutil

import pytest

from sil import construct, generate_cvrp, generate_tsp, io
from tests.serve.running import as_json, finished, free_port, running, submit
from tests.serve.test_vroom import request

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
if CHROMIUM is None:
    pytest.skip("there is no Chromium", allow_module_level=True)

FLAGS = [
    "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]  # fmt: skip
SOON = 60_000  # milliseconds


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as running:
        found = running.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found
        found.close()


@pytest.fixture
def open_page(browser, service):
    """Open the page; it must never log an error or call anybody else."""
    faults, contexts = [], []

    def make(path="", width=1280, allowed=(), **more):
        context = browser.new_context(viewport={"width": width, "height": 800}, **more)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(SOON)
        page.on("pageerror", lambda error: faults.append(str(error)))

        def log(message):
            if message.type == "error" and not any(word in message.text for word in allowed):
                faults.append(message.text)

        def foreign(asked):
            if not asked.url.startswith((service.url, "blob:", "data:")):
                faults.append(asked.url)

        page.on("console", log)
        page.on("request", foreign)
        page.goto(f"{service.url}/{path}")
        return page

    yield make
    for context in contexts:
        context.close()
    assert faults == []


def number(text: str) -> float:
    return float(text.replace(",", ""))


def test_a_file_is_uploaded_gets_better_is_stopped_and_downloaded(open_page, tmp_path):
    problem = generate_cvrp(10_000, seed=1)
    poor = construct(problem, "curve")  # so that there is something to gain at once
    initial = [route.tolist() for route in poor.routes()]
    content = json.dumps({"problem": as_json(problem), "initial": initial})
    (tmp_path / "city.json").write_text(content)
    page = open_page(accept_downloads=True)
    page.set_input_files("input[type=file]", tmp_path / "city.json")
    page.get_by_text("10,001 places").wait_for()
    page.get_by_label("Time", exact=True).fill("1")
    page.get_by_role("button", name="Start").click()
    page.get_by_text("10,000 customers").wait_for()
    page.locator(".pill[data-state=running]").wait_for()
    page.locator(".gain", has_text="since the start").wait_for()
    first = number(page.locator(".cost strong").inner_text())
    page.wait_for_function(
        "(first) => Number(document.querySelector('.cost strong').textContent.replaceAll(',', ''))"
        " < first",
        arg=first,
    )
    page.get_by_role("button", name="Stop and keep").click()
    page.locator(".pill[data-state=cancelled]").wait_for()
    page.get_by_text("Download").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="CVRPLIB").click()
    download.value.save_as(tmp_path / "x.sol")
    solution = io.read_solution(tmp_path / "x.sol")
    assert solution.check(problem) == []
    shown = number(page.locator(".cost strong").inner_text())
    assert shown == pytest.approx(solution.cost(problem), abs=0.006)


def test_a_broken_file_gets_words_on_the_page(open_page, tmp_path):
    (tmp_path / "broken.vrp").write_text("NAME : x\nTYPE : CVRP\nDIMENSION : many\n")
    page = open_page(allowed=["422"])
    page.set_input_files("input[type=file]", tmp_path / "broken.vrp")
    page.get_by_role("button", name="Start").click()
    page.get_by_role("alert").filter(has_text="DIMENSION").wait_for()
    assert page.get_by_role("button", name="Start").is_enabled()


def test_a_table_is_pasted_and_its_capacity_asked_for(open_page):
    page = open_page(allowed=["422"])
    page.get_by_role("radio", name="Paste").click()
    page.get_by_role("button", name="Insert an example").click()
    page.get_by_text("5 places").wait_for()
    page.get_by_role("button", name="Start").click()
    page.get_by_role("alert").filter(has_text="capacity").wait_for()
    page.get_by_label("Vehicle capacity").fill("6")
    page.get_by_label("Time", exact=True).fill("0")
    page.get_by_role("button", name="Start").click()
    page.locator(".pill[data-state=done]").wait_for()
    assert "2 routes" in page.locator(".title").inner_text()


def test_an_instance_is_drawn_by_keyboard_alone(open_page):
    page = open_page()
    page.get_by_role("radio", name="File").focus()
    page.keyboard.press("ArrowLeft")
    page.get_by_text("2,000 customers and a depot").wait_for()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    page.get_by_text("2,000 places").wait_for()
    page.get_by_label("Time", exact=True).focus()
    page.keyboard.press("Home")
    page.get_by_role("button", name="Start").focus()
    page.keyboard.press("Enter")
    page.locator(".pill[data-state=done]").wait_for()
    page.get_by_role("application").focus()
    for key in ("+", "ArrowLeft", "-", "0", "Escape"):
        page.keyboard.press(key)


@pytest.fixture(scope="module")
def job(service):
    with service.client() as client:
        name = submit(client, generate_cvrp(300, seed=2), max_runtime=1)
        finished(client, name)
        return name


def test_routes_are_listed_sorted_and_chosen(open_page, job):
    page = open_page(f"#/job/{job}")
    page.locator(".routes .item").first.wait_for()

    def lengths():
        return [
            number(text) for text in page.locator(".routes .item span:last-child").all_inner_texts()
        ]

    assert lengths() == sorted(lengths(), reverse=True)
    page.get_by_role("button", name="Length").click()
    assert lengths() == sorted(lengths())
    page.locator(".routes .item").nth(1).click()
    assert page.locator(".routes .item[aria-selected=true]").count() == 1
    page.keyboard.press("Escape")
    page.get_by_role("listbox").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")


def test_a_route_under_the_pointer_is_described(open_page, job):
    page = open_page(f"#/job/{job}")
    page.locator(".routes .item").first.wait_for()
    box = page.locator(".map").bounding_box()
    for step in range(400):  # somewhere there is a customer
        x, y = box["x"] + 100 + 25 * (step % 25), box["y"] + 80 + 30 * (step // 25)
        page.mouse.move(x, y)
        if page.locator(".tip").is_visible() and "load" in page.locator(".tip").inner_text():
            break
    assert re.search(r"Route \d+\s+\d+ stops · load \d+", page.locator(".tip").inner_text())


def test_two_jobs_are_compared(open_page, service, job):
    with service.client() as client:
        other = submit(client, generate_cvrp(300, seed=2), max_runtime=0.5, method="none")
        finished(client, other)
    page = open_page("#/history")
    for name in (other, job):
        page.locator("tr", has=page.locator(f"a[href='#/job/{name}']")).get_by_role(
            "checkbox"
        ).check()
    page.get_by_role("button", name="Compare two").click()
    page.get_by_text(re.compile("auto is .* % shorter")).wait_for()
    assert page.locator(".map").count() == 2


def test_a_job_that_is_gone_is_said(open_page):
    page = open_page("#/job/0000000000000000", allowed=["404"])
    page.get_by_text("There is no such job.").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1280])
def test_nothing_is_cut_off(open_page, job, width, scheme):
    for path in ("", f"#/job/{job}", "#/history", f"#/compare/{job}/{job}"):
        page = open_page(path, width=width, color_scheme=scheme)
        page.locator("#view > *").first.wait_for()
        page.wait_for_timeout(300)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        assert page.locator("html").get_attribute("data-theme") == scheme


def test_the_theme_can_be_chosen_and_is_kept(open_page):
    page = open_page(color_scheme="light")
    page.get_by_role("button", name="Use the dark colours").click()
    page.reload()
    assert page.locator("html").get_attribute("data-theme") == "dark"


def test_a_token_is_asked_for_and_degrees_lie_on_tiles(browser, tmp_path):
    token, port = "t" * 24, free_port()
    (tmp_path / "tokens").write_text(token)
    tiles = f"http://127.0.0.1:{port}/page/icon.svg?{{z}}/{{x}}/{{y}}"
    options = ["--token-file", str(tmp_path / "tokens"), "--tiles", tiles]
    with running(tmp_path / "data", *options, port=port) as service:
        headers = {"Authorization": f"Bearer {token}"}
        with service.client(headers=headers) as client:
            job = client.post("/jobs?max_runtime=0.2", json=request(jobs=9)).json()["id"]
            finished(client, job)
        page = browser.new_page()
        seen = []
        page.on("request", lambda asked: seen.append(asked.url))
        page.goto(f"{service.url}/#/job/{job}")
        page.get_by_label("Your token").fill(token)
        page.get_by_role("button", name="Continue").click()
        page.get_by_text("9 customers").wait_for()
        page.wait_for_timeout(500)
        assert any(re.search(r"icon.svg\?\d+/\d+/\d+$", url) for url in seen)
        page.close()


def test_panning_over_many_nodes_does_not_wait_for_drawing(open_page, service):
    with service.client() as client:
        name = submit(client, generate_tsp(20_000), max_runtime=0.2)
        finished(client, name)
    page = open_page(f"#/job/{name}")
    page.wait_for_timeout(2000)
    box = page.locator(".map").bounding_box()
    page.evaluate(
        "() => { window.times = []; const go = t => { times.push(t); requestAnimationFrame(go); };"
        " requestAnimationFrame(go); }"
    )
    page.mouse.move(box["x"] + 300, box["y"] + 300)
    page.mouse.down()
    for step in range(40):
        page.mouse.move(box["x"] + 300 + 3 * step, box["y"] + 300 + step)
    page.mouse.up()
    frames = page.evaluate("times.length")
    assert frames > 10  # figures are measured by benchmarks/page.py
