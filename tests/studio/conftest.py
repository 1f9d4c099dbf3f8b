"""The one studio of a test run that has the pages of `stand_in.py`; those of `browser/` have another."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from studio.running import RunningStudio, running_studio


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStudio]:
    """A studio that takes files of 5 MB and that no test ends."""
    with running_studio(tmp_path_factory.mktemp("studio"), "--max-upload", 5) as started:
        yield started
