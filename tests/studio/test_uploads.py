"""Uploaded files: names of ours, limits that hold while it streams, nothing left of what did not arrive whole."""

from __future__ import annotations

import asyncio
import json
import re
import socket
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import ParameterError
from shoal.read.files import FORMATS
from shoal.studio.uploads import Uploads, shown_name
from studio.running import RunningStudio, wait_until

pytest.importorskip("shiny", reason="needs shiny (the studio extra)")

LIMIT = 5_000_000
TOO_LARGE = "The file has more than 5 MB, the limit of this studio. Start it with --max-upload 20.\n"
STORED = re.compile(r"upload-[0-9a-f]{32}(\.[a-z0-9]+){1,2}")
TWO_GIGABYTES = 2_000_000_000


@pytest.fixture
def browser(studio: RunningStudio) -> Iterator[httpx.Client]:
    remove_uploads(studio)
    with studio.browser() as client:
        yield client
    remove_uploads(studio)


def remove_uploads(studio: RunningStudio) -> None:
    for path in (studio.folder / "uploads").iterdir():
        path.unlink()


def stored_in(studio: RunningStudio) -> list[Path]:
    return sorted((studio.folder / "uploads").iterdir())


def everything_in(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if "tmp" not in path.relative_to(folder).parts[1:2]}


def post(browser: httpx.Client, name: str, content: object = b"a,b\n1,2\n") -> httpx.Response:
    return browser.post("/upload", headers={"x-file-name": quote(name)}, content=content)


def test_a_file_arrives_byte_for_byte_and_only_its_owner_can_read_it(studio, browser):
    content = bytes(range(256)) * 15_000  # several writes
    answer = post(browser, "Erträge 2024.csv", content)
    assert answer.status_code == 200
    assert answer.json() == {
        "upload": answer.json()["upload"],
        "name": "Erträge 2024.csv",
        "bytes": 3_840_000,
    }
    (path,) = stored_in(studio)
    assert path.name == f"upload-{answer.json()['upload']}.csv"
    assert path.read_bytes() == content
    assert path.stat().st_mode & 0o777 == 0o600
    assert {one.stat().st_mode & 0o777 for one in (path.parent, studio.folder)} == {0o700}


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../etc/passwd.csv", "passwd.csv"),
        ("/etc/passwd.csv", "passwd.csv"),
        ("C:\\x.csv", "x.csv"),
        ("..\\..\\x.csv", "x.csv"),
        ("a\0b.csv", "ab.csv"),
        ("x\r\nSet-Cookie: a=b.csv", "xSet-Cookie: a=b.csv"),
        ("\x1b[31mred.csv", "[31mred.csv"),
        ("\u202efdp.csv", "fdp.csv"),
        ("<script>alert(1).csv", "<script>alert(1).csv"),
        ("🐟.CSV", "🐟.CSV"),
        ("x" * 5000 + ".csv", "x" * 195 + "….csv"),
        ("~/$HOME/`id`.csv.gz", "`id`.csv.gz"),
        ("%2e%2e%2fx.csv", "%2e%2e%2fx.csv"),  # as it is called, decoded once
    ],
)
def test_a_file_name_is_never_a_path(studio, browser, name, shown):
    before = everything_in(studio.temporary)
    answer = post(browser, name)
    assert answer.status_code == 200
    assert answer.json()["name"] == shown
    (new,) = everything_in(studio.temporary) - before
    assert new.parent == studio.folder / "uploads"
    assert STORED.fullmatch(new.name)
    assert new.name.endswith(".csv.gz" if shown.endswith(".gz") else ".csv")


@pytest.mark.parametrize("name", ["../../etc/passwd", "C:\\x", "..", ".csv", "a.exe", "a.csv\0.sh", "a.gz", "csv"])
def test_a_file_of_no_known_format_is_refused_in_one_line_that_lists_them(studio, browser, name):
    answer = post(browser, name)
    assert answer.status_code == 415
    assert answer.text.count("\n") == 1
    assert all(ending in answer.text for ending in FORMATS if not ending.endswith(".gz"))
    assert stored_in(studio) == []


def test_a_file_without_a_name_is_refused(studio, browser):
    answer = browser.post("/upload", content=b"a")
    assert (answer.status_code, answer.text.count("\n")) == (400, 1)
    assert stored_in(studio) == []


def test_a_file_may_be_as_large_as_the_limit_and_no_larger(studio, browser):
    assert post(browser, "a.csv", b"x" * LIMIT).status_code == 200
    answer = post(browser, "b.csv", b"x" * (LIMIT + 1))
    assert (answer.status_code, answer.text) == (413, TOO_LARGE)
    assert len(stored_in(studio)) == 1


def begin(studio: RunningStudio, *headers: str) -> socket.socket:
    """Begin an upload by hand."""
    connection = socket.create_connection(("127.0.0.1", studio.port), timeout=30)
    lines = ["POST /upload HTTP/1.1", f"Host: {studio.host}", f"Origin: {studio.origin}", f"Cookie: {studio.cookie()}"]
    connection.sendall("\r\n".join([*lines, "X-File-Name: a.csv", *headers, "", ""]).encode())
    return connection


def peak_memory(studio: RunningStudio) -> int:
    status = Path(f"/proc/{studio.process.pid}/status").read_text()
    return 1024 * int(re.search(r"VmHWM:\s+(\d+)", status)[1])


def read_all(connection: socket.socket) -> str:
    answer = b""
    while part := connection.recv(65536):
        answer += part
    return answer.decode()


def test_a_declared_2_gb_upload_is_refused_before_any_of_it_is_sent(studio, browser):
    with closing(begin(studio, f"Content-Length: {TWO_GIGABYTES}")) as connection:
        answer = read_all(connection)
    assert answer.startswith("HTTP/1.1 413 ")
    assert answer.endswith(f"\r\n\r\n{TOO_LARGE}")
    assert stored_in(studio) == []


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_a_2_gb_upload_that_does_not_say_so_is_cut_off_at_the_limit(studio, browser):
    """Neither memory nor disk holds more of it than the limit."""
    assert post(browser, "a.csv", b"x" * LIMIT).status_code == 200
    memory, sent, part = peak_memory(studio), 0, b"x" * 100_000
    with closing(begin(studio, "Transfer-Encoding: chunked")) as connection:
        try:
            while sent < TWO_GIGABYTES:
                connection.sendall(b"%x\r\n%s\r\n" % (len(part), part))
                sent += len(part)
        except OSError:  # closed by the studio
            pass
    assert LIMIT <= sent < LIMIT + 50_000_000  # what the buffers of two sockets hold
    assert peak_memory(studio) - memory < 50_000_000
    assert len(stored_in(studio)) == 1
    answer = post(browser, "a.csv", (part for _ in range(51)))
    assert (answer.status_code, answer.text) == (413, TOO_LARGE)
    assert len(stored_in(studio)) == 1


def test_a_length_that_is_a_lie_changes_nothing(studio, browser):
    for length in ("-1", "1e9", "9" * 5000, "0x10", "5, 6"):
        with closing(begin(studio, f"Content-Length: {length}")) as connection:
            assert re.match(r"HTTP/1.1 4(00|13) ", read_all(connection))
    assert stored_in(studio) == []


def test_an_upload_that_is_cancelled_leaves_no_file(studio, browser):
    with closing(begin(studio, "Content-Length: 4000000")) as connection:
        connection.sendall(b"x" * 2_000_000)
        wait_until(lambda: stored_in(studio), "the beginning of the file")
    wait_until(lambda: not stored_in(studio), "the file to be removed")


def test_a_disk_that_takes_nothing_is_one_line(studio, browser):
    folder = studio.folder / "uploads"
    folder.rmdir()
    try:
        answer = post(browser, "a.csv")
    finally:
        folder.mkdir(mode=0o700)
    assert (answer.status_code, answer.text) == (507, "The file could not be stored.\n")


@given(st.text(max_size=300), st.sampled_from([*FORMATS, "", ".exe"]))
def test_a_shown_name_is_short_and_printable_and_no_path(name, ending):
    shown = shown_name(quote(name + ending, errors="replace"))
    assert len(shown) <= 200
    assert shown.isprintable()
    assert "/" not in shown and "\\" not in shown
    if ending in FORMATS and len(name) > 250 and name.isalnum():
        assert shown.endswith(ending)


async def parts(*content: bytes) -> AsyncIterator[bytes]:
    for one in content:
        yield one


def stored(work):
    """Run work to its end; in a thread, since tests in the browser may have a loop of their own in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def test_a_file_is_found_by_its_id_until_it_is_forgotten(tmp_path):
    uploads = Uploads(tmp_path)
    first = stored(uploads.store("a.csv", parts(b"1", b"2")))
    second = stored(uploads.store("a.csv", parts()))
    assert uploads.path_of(first.upload).read_bytes() == b"12"
    assert uploads.path_of(second.upload).read_bytes() == b""
    assert uploads.name_of(first.upload) == "a.csv"
    uploads.forget(first.upload)
    assert [path.name for path in tmp_path.iterdir()] == [second.path.name]
    for unknown in (first.upload, "", "../x", second.path.name):
        for ask in (uploads.path_of, uploads.name_of, uploads.forget):
            with pytest.raises(ParameterError, match="Upload it again"):
                ask(unknown)


def test_an_answer_is_plain_json(studio, browser):
    answer = post(browser, "</script>.csv")
    assert answer.headers["content-type"] == "application/json"
    assert json.loads(answer.text)["name"] == "script>.csv"
