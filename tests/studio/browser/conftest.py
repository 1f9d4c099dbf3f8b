"""The one studio of a test run that has its own pages, tabs in it, and files to open there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from studio.browser.survey import write_survey
from studio.browser.visitor import Visitor
from studio.running import REAL, RunningStudio, running_studio

pytest.importorskip("shiny", reason="needs shiny (the studio extra)")


BEFORE = {"name": "before.csv", "mimeType": "text/csv", "buffer": b"a\n1\n2\n3\n"}


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStudio]:
    """A studio that no test ends."""
    with running_studio(tmp_path_factory.mktemp("studio"), program=REAL) as started:
        yield started


@pytest.fixture
def new_studio(tmp_path: Path) -> Iterator[RunningStudio]:
    """A studio of one test, which may end it."""
    with running_studio(tmp_path / "studio", program=REAL) as started:
        yield started


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_survey(tmp_path_factory.mktemp("own files") / "survey.csv")


@pytest.fixture
def visitor(chromium: object, studio: RunningStudio) -> Iterator[Visitor]:
    """Return somebody who has opened the studio, and a small file there: nothing is left of what others did."""
    with visiting(chromium, studio) as visitor:
        visitor.upload(BEFORE)
        yield visitor


@pytest.fixture
def new_visitor(chromium: object, new_studio: RunningStudio) -> Iterator[Visitor]:
    """Return somebody who has opened a new studio."""
    with visiting(chromium, new_studio) as visitor:
        yield visitor


@contextmanager
def visiting(chromium: object, studio: RunningStudio) -> Iterator[Visitor]:
    """Open a studio; no script may fail, the policy may block nothing, and nothing that the page asks for may be
    elsewhere."""
    with chromium.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce") as context:
        visiting = Visitor(context.new_page(), studio)
        visiting.enter()
        yield visiting
        assert visiting.errors == []
        assert visiting.asked_elsewhere == []
        assert visiting.page.evaluate("window.violations") == []


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder for screenshots: the one that SHOAL_PICTURES names, or one of the test run."""
    named = os.environ.get("SHOAL_PICTURES")
    folder = Path(named).resolve() if named else tmp_path_factory.mktemp("studio-pictures")
    folder.mkdir(parents=True, exist_ok=True)
    return folder
