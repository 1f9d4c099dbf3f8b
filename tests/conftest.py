"""What every test can ask for."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

_EVERYWHERE = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("shoal", derandomize=True, **_EVERYWHERE)  # the same examples every time
settings.register_profile("long", derandomize=False, max_examples=1000, **_EVERYWHERE)  # make test-long
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "shoal"))

BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def reference_data() -> Callable[[str], Path]:
    """Find a file of the CASC reference data, or skip the test and say where it was looked for."""

    def find(name: str) -> Path:
        folder = Path(os.environ.get("SHOAL_REFERENCE_DATA", BESIDE))
        if not (folder / name).is_file():
            pytest.skip(f"needs {name}: put it in ../shared/data or name its folder in SHOAL_REFERENCE_DATA")
        return folder / name

    return find
