"""A real browser in a studio: it asks nobody else for anything, and runs no script but the studio's own."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator

import pytest

from studio.running import RunningStudio, wait_until

pytest.importorskip("shiny", reason="needs shiny (the studio extra)")

RECORD_VIOLATIONS = """
window.violations = [];
document.addEventListener("securitypolicyviolation", event =>
  window.violations.push([event.violatedDirective, event.blockedURI, event.sample]));
"""


@pytest.fixture
def page(chromium: object) -> Iterator[object]:
    with chromium.new_context() as context:
        opened = context.new_page()
        opened.add_init_script(RECORD_VIOLATIONS)
        opened.set_default_timeout(30_000)
        yield opened


def open_studio(page: object, studio: RunningStudio) -> None:
    page.goto(studio.address)
    page.wait_for_selector("#drawing")
    page.wait_for_selector("#grid td")
    page.wait_for_selector("#plot img")


def test_no_request_leaves_the_studio_and_nothing_that_shiny_needs_is_blocked(page, studio):
    asked, errors = [], []
    page.context.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda websocket: asked.append(websocket.url.replace("ws://", "http://")))
    page.on("pageerror", lambda error: errors.append(error))
    open_studio(page, studio)
    page.select_option("#kind", "b")
    page.fill("#rules", "a >= 0")
    page.locator("#several-selectized").click()
    page.keyboard.press("Enter")
    page.locator("#day input").click()
    page.wait_for_selector(".datepicker-days")
    page.keyboard.press("Escape")
    page.locator("#grid input").first.fill("50")
    page.evaluate("Shiny.setInputValue('width', 9)")
    page.get_by_text("doubled: 18").wait_for(state="attached")
    page.set_input_files("#plan", {"name": "plan.toml", "mimeType": "text/plain", "buffer": b"k = 5"})
    page.get_by_text("Upload complete").wait_for()
    with page.expect_download() as download:
        page.click("#export")
    assert download.value.path().read_text() == "a,b\n"
    page.click("#ask")
    page.get_by_role("button", name="Dismiss").click()
    page.locator(".modal").wait_for(state="detached")
    page.get_by_role("tab", name="Other").click()
    page.get_by_text("Card").wait_for()
    page.reload()
    page.wait_for_selector("#drawing", state="attached")
    assert page.evaluate("window.violations") == []
    assert errors == []
    elsewhere = [url for url in asked if not url.startswith((f"{studio.origin}/", "data:"))]
    assert elsewhere == []
    assert any("/websocket/" in url for url in asked)
    assert len(asked) > 20


def test_the_token_is_not_in_the_address_bar_and_no_script_reads_the_cookie(page, studio):
    open_studio(page, studio)
    assert page.url == f"{studio.origin}/"
    assert page.evaluate("document.cookie") == ""
    (cookie,) = page.context.cookies()
    assert (cookie["name"], cookie["httpOnly"], cookie["sameSite"]) == (f"shoal-studio-{studio.port}", True, "Strict")


ELSEWHERE = "http://127.0.0.1:1/"
INJECTED = {  # what is put into the page, and which part of the policy stops it
    "an attribute": ("'<img src=/x onerror=\"window.ran = 1\">'", "script-src-attr"),
    "an inline script": ("'<script>window.ran = 1</' + 'script>'", "script-src-elem"),
    "a script of another site": (
        f"Object.assign(document.createElement('script'), {{src: '{ELSEWHERE}'}})",
        "script-src-elem",
    ),
    "a text that is run": ("(setTimeout('window.ran = 1'), '')", "script-src"),
    "a frame": ("Object.assign(document.createElement('iframe'), {src: '/'})", "frame-src"),
    "an image of another site": (f"Object.assign(new Image(), {{src: '{ELSEWHERE}'}})", "img-src"),
    "a style of another site": (
        f"Object.assign(document.createElement('link'), {{rel: 'stylesheet', href: '{ELSEWHERE}'}})",
        "style-src-elem",
    ),
    "a request to another site": (f"(fetch('{ELSEWHERE}').catch(() => 0), '')", "connect-src"),
    "a websocket to another site": ("(new WebSocket('ws://127.0.0.1:1/'), '')", "connect-src"),
    "another base": (f"Object.assign(document.createElement('base'), {{href: '{ELSEWHERE}'}})", "base-uri"),
    "a form": (
        f"$('<form>', {{action: '{ELSEWHERE}'}}).appendTo('body').each((_, form) => form.submit())",
        "form-action",
    ),
}


@pytest.mark.parametrize("way", INJECTED)
def test_what_gets_into_a_page_cannot_run_and_cannot_send(page, studio, way):
    """As HTML in a label would, if it were not escaped; jQuery runs the scripts in what it appends."""
    what, directive = INJECTED[way]
    asked = []
    page.context.on("requestfinished", lambda request: asked.append(request.url))
    open_studio(page, studio)
    page.evaluate(f"() => {{ $(document.body).append({what}) }}")
    wait_until(lambda: page.evaluate("window.violations.length"), "the policy")
    assert {violation[0] for violation in page.evaluate("window.violations")} == {directive}
    assert page.evaluate("window.ran") is None
    assert not [url for url in asked if url.startswith(ELSEWHERE)]


def test_too_large_a_file_is_refused_with_a_line_that_the_page_can_show(page, studio):
    open_studio(page, studio)
    send = """async size => {
      const body = new Blob([new Uint8Array(size)]);
      const answer = await fetch("/upload", {method: "POST", headers: {"X-File-Name": "a.csv"}, body});
      return [answer.status, await answer.text()];
    }"""
    assert page.evaluate(send, 4_000_000)[0] == 200
    for size in (5_000_001, 100_000_000):
        status, text = page.evaluate(send, size)
        assert (status, text.startswith("The file has more than 5 MB")) == (413, True)


@pytest.fixture
def other_site() -> Iterator[int]:
    """A server of somebody else on this machine, which serves an empty page."""

    class Empty(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>other</title>")

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Empty) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_a_page_of_another_port_reaches_nothing_of_an_open_studio(page, studio, other_site, name):
    """Of the same site (127.0.0.1) the browser even sends the cookie along."""
    open_studio(page, studio)
    before = sorted((studio.folder / "uploads").iterdir())
    page.goto(f"http://{name}:{other_site}/")
    attack = """async origin => {
      const tried = [];
      const post = {method: "POST", mode: "no-cors", credentials: "include", body: "a"};
      for (const [path, how] of [["/", {mode: "no-cors", credentials: "include"}], ["/upload", post]])
        tried.push(await fetch(origin + path, how).then(answer => answer.type, () => "failed"));
      tried.push(await new Promise(resolve => {
        const socket = new WebSocket(origin.replace("http", "ws") + "/websocket/");
        socket.onopen = () => resolve("open");
        socket.onerror = () => resolve("failed");
      }));
      const image = new Image();
      const gone = new Promise(resolve => {
        image.onload = () => resolve("shown");
        image.onerror = () => resolve("failed");
      });
      image.src = origin + "/lib/";
      tried.push(await gone);
      return tried;
    }"""
    tried = page.evaluate(attack, studio.origin)
    assert tried == ["failed"] * 4
    assert sorted((studio.folder / "uploads").iterdir()) == before


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_a_link_with_the_token_in_another_page_opens_the_studio(page, studio, other_site, name):
    """Such as a terminal in the browser."""
    page.goto(f"http://{name}:{other_site}/")
    link = "url => document.body.append(Object.assign(document.createElement('a'), {href: url, textContent: 'go'}))"
    page.evaluate(link, studio.address)
    page.click("text=go")
    page.wait_for_selector("#drawing")
    assert page.url == f"{studio.origin}/"
