"""What `make docs` says of the built pages: nothing in them is loaded from another address."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest

from book.pages import ROOT


@pytest.fixture
def loaded_from_elsewhere(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs"), *sys.path])
    return import_module("check_built").loaded_from_elsewhere


@pytest.mark.parametrize(
    "page",
    [
        '<script src="https://example.org/a.js"></script>',
        '<script src="//example.org/a.js"></script>',
        '<link rel="stylesheet" href="http://example.org/a.css">',
        '<link rel="preconnect" href="https://example.org">',
        '<img src="https://example.org/a.png">',
        '<img srcset="a.png 1x, https://example.org/b.png 2x">',
        '<img src="not-there.png">',
        '<iframe src="https://example.org"></iframe>',
        "<style>@import 'https://example.org/a.css';</style>",
        '<p style="background: url(https://example.org/a.png)">',
    ],
)
def test_what_is_loaded_from_elsewhere_is_found(page, loaded_from_elsewhere, tmp_path):
    (tmp_path / "a.png").touch()
    (tmp_path / "index.html").write_text(page)
    assert len(loaded_from_elsewhere(tmp_path)) == 1


def test_a_style_file_is_looked_through(loaded_from_elsewhere, tmp_path):
    (tmp_path / "a.css").write_text("/* url(https://example.org/old) */ p { src: url('https://example.org/a.woff2') }")
    assert loaded_from_elsewhere(tmp_path) == ["a.css: https://example.org/a.woff2"]


def test_own_files_and_links_to_follow_are_fine(loaded_from_elsewhere, tmp_path):
    (tmp_path / "a.js").touch()
    (tmp_path / "a.css").touch()
    (tmp_path / "index.html").write_text(
        '<script src="a.js?v=1"></script><link rel="stylesheet" href="a.css"><img src="data:image/png;base64,AA==">'
        '<link rel="canonical" href="https://example.org"><a href="https://example.org">elsewhere</a><script>1</script>'
    )
    assert loaded_from_elsewhere(tmp_path) == []
