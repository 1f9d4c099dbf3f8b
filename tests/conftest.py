"""What every test can ask for."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

_EVERYWHERE = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("shoal", derandomize=True, **_EVERYWHERE)  # the same examples every time
settings.register_profile("long", derandomize=False, max_examples=1000, **_EVERYWHERE)  # make test-long
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "shoal"))

# A shell without job control starts what runs in the background with Ctrl-C ignored, and so would all programs that
# tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A test that asks for one of these is slow, and those of one group share it: they run in one process of pytest-xdist.
SHARED = {"dask_cluster": "cluster", "studio": "studio", "chromium": "studio"}

BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is slow, and say what runs in one process: tests that share something, otherwise those of a file."""
    for item in items:
        shared = [SHARED[name] for name in getattr(item, "fixturenames", ()) if name in SHARED]
        if shared:
            item.add_marker("slow")
        item.add_marker(pytest.mark.xdist_group(shared[0] if shared else item.nodeid.partition("::")[0]))


@pytest.fixture(scope="session")
def reference_data() -> Callable[[str], Path]:
    """Find a file of the CASC reference data, or skip the test and say where it was looked for."""

    def find(name: str) -> Path:
        folder = Path(os.environ.get("SHOAL_REFERENCE_DATA", BESIDE))
        if not (folder / name).is_file():
            pytest.skip(f"needs {name}: put it in ../shared/data or name its folder in SHOAL_REFERENCE_DATA")
        return folder / name

    return find


@pytest.fixture(scope="module")
def chromium() -> Iterator[object]:
    """Start the Chromium that is installed, or Playwright's own; skip the test where there is neither."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright (the dev extra)")
    with playwright.sync_playwright() as started:
        own = started.chromium.executable_path
        installed = (*map(shutil.which, ("chromium", "chromium-browser", "google-chrome")), shutil.which(own))
        found = next(filter(None, installed), None)
        if found is None:
            pytest.skip("needs a browser: install chromium")
        opened = started.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield opened
        opened.close()
