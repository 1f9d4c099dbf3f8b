"""The studio in a real browser, for tests to use it as people do.

Screenshots go into the folder of the test run, `studio-in-browser*` under pytest's temporary folder, and into the
folder that SHOAL_PICTURES names, if it is set.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from studio.browser.opened import OpenedStudio, opened_studio
from studio.running import REAL, running_studio


@pytest.fixture(scope="session")
def chromium() -> Iterator[object]:
    """Debian's Chromium, or the one that Playwright has installed."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright (the dev extra)")
    installed = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with sync_api.sync_playwright() as playwright:
        own = playwright.chromium.executable_path
        if installed is None and not Path(own).exists():
            pytest.skip("needs a browser: install chromium, or run `playwright install chromium`")
        browser = playwright.chromium.launch(executable_path=installed, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder that screenshots go to."""
    folder = tmp_path_factory.mktemp("studio-in-browser")
    yield folder
    wanted = os.environ.get("SHOAL_PICTURES")
    if wanted:
        shutil.copytree(folder, wanted, dirs_exist_ok=True)


@pytest.fixture(scope="session")
def open_studio(
    chromium: object, pictures: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., AbstractContextManager[OpenedStudio]]:
    """Start a studio, with options of its command, and open it: for the length of a `with` block."""
    pytest.importorskip("shiny", reason="needs shiny (the studio extra)")

    @contextmanager
    def start(*options: object) -> Iterator[OpenedStudio]:
        with (
            running_studio(tmp_path_factory.mktemp("studio"), *options, program=REAL) as running,
            opened_studio(chromium, running, pictures) as opened,
        ):
            yield opened

    return start


@pytest.fixture
def studio(open_studio: Callable[..., AbstractContextManager[OpenedStudio]]) -> Iterator[OpenedStudio]:
    """A new studio, open in the browser; at the end its page has complained of nothing and asked nobody else."""
    with open_studio() as opened:
        yield opened
        assert opened.errors == []
        assert opened.elsewhere() == []
