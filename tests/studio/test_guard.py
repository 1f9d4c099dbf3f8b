"""Only the browser that was given the token gets in: attacks on a real studio, over real sockets."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from contextlib import suppress

import httpx
import pytest

from studio.running import RunningStudio, running_studio

websockets = pytest.importorskip("websockets.sync.client", reason="needs websockets (the studio extra)")
pytest.importorskip("shiny", reason="needs shiny (the studio extra)")
from websockets.exceptions import InvalidStatus  # noqa: E402

BELONGS = "This page belongs to a running studio. Open the address that `shoal studio` printed."
SAFE_HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}

WRONG_TOKENS = ["", "x", "{token}x", "{short}", "%F0%9F%90%9F", "%00", "{token}&token=x", "x&ticket=x"]
FOREIGN_HOSTS = ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1:{port}.evil.example"]
FOREIGN_HOSTS += ["127.0.0.1.evil.example:{port}", "[::1]", "0.0.0.0:{port}", "127.1:{port}", "", "localhost"]
FOREIGN_HOSTS += ["localhost.:{port}", "x@127.0.0.1:{port}"]
FOREIGN_ORIGINS = ["http://evil.example", "null", "https://{host}", "http://127.0.0.1:1", "{host}", ""]


@pytest.fixture(scope="module")
def browser(studio: RunningStudio) -> Iterator[httpx.Client]:
    with studio.browser() as client:
        yield client


@pytest.fixture(scope="module")
def library(browser: httpx.Client) -> str:
    """The path of a script of Shiny."""
    return "/" + re.search(r'src="(lib/[^"]+)"', browser.get("/").text)[1]


def test_the_token_opens_the_studio_and_leaves_the_address_bar(studio):
    with studio.stranger() as client:
        answer = client.get(studio.address)
        assert (answer.status_code, answer.headers["location"], answer.text) == (303, "/", "")
        cookie = answer.headers["set-cookie"]
        assert re.fullmatch(rf"shoal-studio-{studio.port}=[\w-]{{43}}; Path=/; HttpOnly; SameSite=Strict", cookie)
        assert studio.token not in cookie
        page = client.get("/")
    assert page.status_code == 200
    assert "stand-in" in page.text
    assert studio.token not in page.text
    assert len(studio.token) == 43  # 256 bits


@pytest.mark.parametrize("path", ["/", "/upload", "/session/x/upload/y", "/lib/", "/nowhere", "//", "/?k=5"])
@pytest.mark.parametrize("method", ["GET", "POST", "HEAD", "PUT", "OPTIONS", "DELETE"])
def test_without_a_token_there_is_nothing(studio, method, path):
    with studio.stranger() as client:
        answer = client.request(method, path, headers={"origin": studio.origin})
    assert answer.status_code == 403
    assert answer.text == ("" if method == "HEAD" else f"{BELONGS}\n")
    assert "set-cookie" not in answer.headers


def test_not_even_a_library_file_is_there_without_a_token(studio, library):
    with studio.stranger() as client:
        assert client.get(library).status_code == 403


def test_a_browser_is_told_where_to_go_by_a_page_without_script(studio):
    with studio.stranger() as client:
        answer = client.get("/", headers={"accept": "text/html,*/*"})
    assert answer.status_code == 403
    assert BELONGS in answer.text
    assert "<script" not in answer.text
    assert "script-src 'self'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize("wrong", WRONG_TOKENS)
def test_a_wrong_token_opens_nothing(studio, wrong):
    query = wrong.format(token=studio.token, short=studio.token[:-1])
    with studio.stranger() as client:
        answer = client.get(f"/?token={query}")
    assert (answer.status_code, answer.text) == (403, f"{BELONGS}\n")
    assert "set-cookie" not in answer.headers


def test_the_token_opens_the_first_page_alone_and_only_what_is_asked_for_with_get(studio):
    with studio.stranger() as client:
        for method, path in [("GET", "/upload"), ("GET", "/lib/"), ("POST", "/"), ("HEAD", "/")]:
            answer = client.request(method, f"{path}?token={studio.token}", headers={"origin": studio.origin})
            assert answer.status_code == 403


@pytest.mark.parametrize("cookie", ["{name}={token}", "{name}=", "{name}", "other={session}", "{name}={session}x"])
def test_a_cookie_that_is_not_the_one_given_opens_nothing(studio, cookie):
    name, _, session = studio.cookie().partition("=")
    with studio.stranger() as client:
        text = cookie.format(name=name, token=studio.token, session=session)
        assert client.get("/", headers={"cookie": text}).status_code == 403
        malformed = f'a b="c; {name}=wrong; =; {name}={session}; ÿ'.encode("latin-1")
        assert client.get("/", headers={"cookie": malformed}).status_code == 200  # other programs' cookies do no harm


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
def test_a_foreign_host_is_refused(studio, browser, host):
    """As after DNS rebinding, where the browser sends the cookie of the name it believes in."""
    foreign = host.format(port=studio.port)
    for path in ("/", f"/?token={studio.token}"):
        answer = browser.get(path, headers={"host": foreign})
        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers
        assert foreign == "" or foreign not in str(answer.headers)


@pytest.mark.parametrize("host", ["localhost:{port}", "[::1]:{port}", "LOCALHOST:{port}"])
def test_every_name_of_the_loopback_is_known(studio, host):
    with studio.stranger() as client:
        headers = {"host": host.format(port=studio.port)}
        assert client.get(f"/?token={studio.token}", headers=headers).status_code == 303


def ask_plainly(studio: RunningStudio, request: str) -> str:
    with socket.create_connection(("127.0.0.1", studio.port), timeout=30) as connection:
        connection.sendall(request.replace("\n", "\r\n").encode())
        answer = b""
        while part := connection.recv(65536):
            answer += part
    return answer.decode("latin-1")


def test_a_request_without_a_host_or_with_two_is_refused(studio):
    cookie = studio.cookie()
    two = f"GET / HTTP/1.1\nHost: {studio.host}\nHost: evil.example\nCookie: {cookie}\nConnection: close\n\n"
    for request in (f"GET / HTTP/1.0\nCookie: {cookie}\n\n", two):
        assert re.match(r"HTTP/1.1 40[03] ", ask_plainly(studio, request))


def test_what_is_no_request_is_refused_and_the_studio_goes_on(studio, browser):
    long = f"GET /{'a' * 200_000} HTTP/1.1\nHost: {studio.host}\n\n"
    many = f"GET / HTTP/1.1\nHost: {studio.host}\n" + "X-Header: value\n" * 20_000 + "\n"
    for request in ("\x16\x03\x01\x02\x00\n\n", "nonsense\n\n", long, many):
        with suppress(ConnectionResetError):  # it did not want to read on
            assert ask_plainly(studio, request).startswith("HTTP/1.1 400 ")
    assert browser.get("/").status_code == 200


@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
@pytest.mark.parametrize("method", ["GET", "POST", "PUT"])
def test_a_foreign_origin_is_refused(studio, browser, method, origin):
    headers = {"origin": origin.format(host=studio.host), "x-file-name": "a.csv"}
    answer = browser.request(method, "/upload", headers=headers)
    assert (answer.status_code, answer.text) == (403, "Only the studio's own pages may send this.\n")


@pytest.mark.parametrize("site", ["cross-site", "same-site", "anything"])
def test_what_a_page_of_another_site_makes_the_browser_ask_for_is_refused(studio, browser, site):
    """Of the same site is also another port of this machine, whose owner may be somebody else."""
    for method in ("GET", "POST"):
        answer = browser.request(method, "/", headers={"sec-fetch-site": site})
        assert (answer.status_code, answer.text) == (403, "Only the studio's own pages may ask for this.\n")
    for site in ("same-origin", "none"):
        assert browser.get("/", headers={"sec-fetch-site": site}).status_code == 200


def test_a_cross_site_form_cannot_upload(studio):
    """A form sends neither a header of its own nor, being cross-site, the cookie; here it even has the cookie."""
    before = sorted((studio.folder / "uploads").iterdir())
    with studio.stranger() as client:
        headers = {"cookie": studio.cookie(), "content-type": "text/plain", "sec-fetch-site": "cross-site"}
        assert client.post("/upload", headers=headers, content=b"a=b").status_code == 403
    assert sorted((studio.folder / "uploads").iterdir()) == before


def test_whoever_sends_something_says_where_from(studio):
    with studio.stranger() as client:
        answer = client.post("/upload", headers={"cookie": studio.cookie(), "x-file-name": "a.csv"}, content=b"a")
        assert answer.status_code == 403


def connect(studio: RunningStudio, *, origin: str | None, cookie: str | None, host: str | None = None) -> int:
    """Return the status with which the WebSocket's handshake is answered."""
    headers = {} if cookie is None else {"Cookie": cookie}
    uri = f"ws://{host or studio.host}/websocket/"
    connection = socket.create_connection(("127.0.0.1", studio.port), timeout=30)
    try:
        with websockets.connect(uri, sock=connection, origin=origin, additional_headers=headers, compression=None):
            return 101
    except InvalidStatus as refused:
        return refused.response.status_code


def test_a_websocket_needs_origin_cookie_and_host(studio):
    own, cookie = studio.origin, studio.cookie()
    assert connect(studio, origin=own, cookie=cookie) == 101
    assert connect(studio, origin=None, cookie=cookie) == 403
    for foreign in ("http://evil.example", "null", "http://127.0.0.1:1", f"https://{studio.host}"):
        assert connect(studio, origin=foreign, cookie=cookie) == 403
    assert connect(studio, origin=own, cookie=None) == 403
    assert connect(studio, origin=own, cookie=f"shoal-studio-{studio.port}={studio.token}") == 403
    evil = f"evil.example:{studio.port}"
    assert connect(studio, origin=f"http://{evil}", cookie=cookie, host=evil) == 403


def test_two_studios_know_nothing_of_each_other(studio, tmp_path):
    with running_studio(tmp_path / "other") as other, other.stranger() as client:
        assert client.get(f"/?token={studio.token}").status_code == 403
        name, _, session = studio.cookie().partition("=")
        other_name = other.cookie().partition("=")[0]
        assert name != other_name
        for cookie in (f"{name}={session}", f"{other_name}={session}"):
            assert client.get("/", headers={"cookie": cookie}).status_code == 403
            assert connect(other, origin=other.origin, cookie=cookie) == 403
        both = f"{name}={session}; {other.cookie()}"  # what a browser that has both open sends to each
        assert client.get("/", headers={"cookie": both}).status_code == 200
        assert connect(other, origin=other.origin, cookie=both) == 101
        assert connect(other, origin=studio.origin, cookie=both) == 403


def test_every_answer_has_the_headers_that_keep_a_page_safe(studio, browser, library):
    with studio.stranger() as client:
        answers = [client.get("/"), client.get("/", headers={"host": "evil.example"}), client.get(studio.address)]
    answers += [browser.get(path) for path in ("/", "/nowhere", library)]
    answers += [browser.post("/upload"), browser.post("/upload", content=b"x" * 5_000_001)]
    assert [one.status_code for one in answers] == [403, 403, 303, 200, 404, 200, 400, 413]
    for answer in answers:
        assert {name: answer.headers.get(name) for name in SAFE_HEADERS} == SAFE_HEADERS
        policy = dict(part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; "))
        assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
        assert "unsafe" not in policy["script-src"]
        assert "http" not in answer.headers["content-security-policy"]
        is_library = answer.url.path == library
        assert answer.headers.get_list("cache-control") == ["no-cache" if is_library else "no-store"]
        assert "server" not in answer.headers


def test_the_policy_names_this_studio_and_no_other_place(studio, browser):
    policy = browser.get("/").headers["content-security-policy"]
    assert f"connect-src 'self' ws://{studio.host};" in policy
    sources = set(" ".join(part.split(" ", 1)[1] for part in policy.split("; ")).split())
    sources = {one for one in sources if not one.startswith("'sha256-")}
    assert sources == {"'none'", "'self'", "'unsafe-inline'", "data:", f"ws://{studio.host}"}


@pytest.mark.parametrize("path", ["/docs", "/redoc", "/openapi.json", "/docs/oauth2-redirect"])
def test_there_is_no_description_of_the_interface(browser, path):
    assert browser.get(path).status_code == 404


def test_other_bodies_are_small(browser):
    answer = browser.post("/session/x/upload/y", content=b"x" * 1_000_001)
    assert (answer.status_code, answer.text) == (413, "The studio takes no more than 1 MB here.\n")
    assert browser.post("/session/x/upload/y", content=b"x" * 1_000_000).status_code == 404
