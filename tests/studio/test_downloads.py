"""Files that the studio sends: to its own page alone, once, under a safe name, and gone afterwards."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.message import Message
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import ParameterError
from shoal.studio.downloads import Downloads, disposition, safe_name
from studio.running import RunningStudio, wait_until

pytest.importorskip("shiny", reason="needs shiny (the studio extra)")

CONTENT = bytes(range(256)) * 5_000  # more than is sent at once


@pytest.fixture(scope="module")
def browser(studio: RunningStudio) -> Iterator[httpx.Client]:
    with studio.browser() as client:
        yield client


def test_a_file_is_sent_once_and_removed(tmp_path):
    downloads = Downloads(tmp_path / "downloads")
    path = downloads.new_folder() / "survey-masked.csv"
    path.write_bytes(CONTENT)
    taken = downloads.take(downloads.offer(path))
    assert (taken.path, taken.name) == (path, "survey-masked.csv")
    downloads.remove(taken)
    assert list((tmp_path / "downloads").iterdir()) == []


def test_an_id_serves_once_and_no_other_text_is_an_id(tmp_path):
    downloads = Downloads(tmp_path / "downloads")
    path = downloads.new_folder() / "x.csv"
    path.touch()
    download = downloads.offer(path)
    assert re.fullmatch("[0-9a-f]{32}", download)
    downloads.take(download)
    for unknown in (download, "", "..", "../../etc/passwd", str(path), path.parent.name):
        with pytest.raises(ParameterError, match="no longer has that file"):
            downloads.take(unknown)


def test_what_waits_is_removed_with_its_workspace(tmp_path):
    downloads = Downloads(tmp_path / "downloads")
    paths = [downloads.new_folder() / "x.csv" for _ in range(3)]
    ids = []
    for path in paths:
        path.touch()
        ids.append(downloads.offer(path))
    downloads.clear()
    assert list((tmp_path / "downloads").iterdir()) == []
    with pytest.raises(ParameterError):
        downloads.take(ids[0])


def test_only_its_owner_can_read_what_waits(tmp_path):
    downloads = Downloads(tmp_path / "downloads")
    assert {one.stat().st_mode & 0o777 for one in (tmp_path / "downloads", downloads.new_folder())} == {0o700}


@pytest.mark.parametrize("path", ["", "x", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "0" * 32, "../uploads/x", "a/b/c"])
def test_a_studio_sends_nothing_else(studio, browser, path):
    answer = browser.get(f"/download/{path}")
    assert answer.status_code == 404
    assert "root:" not in answer.text


def test_nothing_is_sent_without_the_token_or_to_another_site(studio, browser):
    with studio.stranger() as stranger:
        assert stranger.get(f"/download/{'0' * 32}").status_code == 403
    for headers in ({"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}, {"host": "evil.example"}):
        assert browser.get(f"/download/{'0' * 32}", headers=headers).status_code == 403


def test_a_file_arrives_whole_as_an_attachment_that_no_cache_keeps(studio, browser):
    folder = studio.folder / "downloads"
    address = (studio.folder / "workspace" / "offered").read_text()
    assert len(list(folder.iterdir())) == 1
    answer = browser.get(address)
    assert answer.status_code == 200
    assert answer.content == b"a,b\n" * 100_000
    assert answer.headers["content-type"] == "application/octet-stream"  # never a page of the studio
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
    expected = "attachment; filename=\"Ertr_ge _1.csv\"; filename*=UTF-8''Ertr%C3%A4ge%20%221.csv"
    assert answer.headers["content-disposition"] == expected
    assert browser.get(address).status_code == 404
    wait_until(lambda: not list(folder.iterdir()), "the file to be removed")


@given(st.text(min_size=1))
def test_any_name_is_one_header_that_says_the_same_name(name):
    header = disposition(name.encode("utf-8", "replace").decode())
    assert header.isascii()
    assert header.isprintable()
    message = Message()
    message["content-disposition"] = header
    assert message.get_content_disposition() == "attachment"
    _, _, encoded = header.partition("filename*=UTF-8''")
    assert re.fullmatch(r"[A-Za-z0-9._~%-]+", encoded)


@given(st.text())
def test_any_text_becomes_a_name_that_is_no_path_and_no_option(text):
    name = safe_name(text)
    assert name == Path(name).name
    assert name.isprintable()
    assert 0 < len(name.encode()) <= 150
    assert name[0] not in ".-~ "
    assert not set(name) & set("<>:\"/\\|?*$`!%'")
