"""A dozen kills over an existing release: old or new, nothing left behind. `benchmarks/kills.py` makes hundreds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

HARNESS = Path(__file__).parents[1] / "benchmarks" / "kills.py"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs signals")
def test_a_killed_run_leaves_every_file_old_or_new_and_nothing_else():
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    command = [sys.executable, HARNESS, "2", "0", ".csv", ".xlsx"]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "12 kills, 0 faults" in ran.stdout
