"""What every test can ask for."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("shoal", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shoal")

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
