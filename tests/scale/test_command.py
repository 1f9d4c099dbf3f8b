"""The command protects a folder, says what it did, and its plan gives the same bytes again."""

from __future__ import annotations

import pandas as pd
import pytest

from command_line import run_shoal
from scale.running import alike, bytes_of, mixed, write_parts

ENGINE = ["--engine", "dask", "--workers", 2, "--worker-memory", "2GB"]


@pytest.mark.slow
def test_a_plan_gives_the_same_bytes_again_and_rows_in_order_are_warned_of(tmp_path):
    source = write_parts(mixed(1_000), tmp_path / "in")
    ran = run_shoal("protect", source, "-k", 5, "-o", "out", "--block-records", 300, *ENGINE, cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    written = pd.read_parquet(tmp_path / "out")
    assert ran.stdout.splitlines()[0].split()[:2] == ["k", f"{alike(written, list(written)).min()}:"]
    first = bytes_of(tmp_path / "out")
    ran = run_shoal("protect", "--plan", "out.plan.toml", "-o", "again", *ENGINE, cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert bytes_of(tmp_path / "again") == first
    ran = run_shoal("protect", "--plan", "out.plan.toml", "-o", "ordered", "--keep-order", *ENGINE, cwd=tmp_path)
    assert ran.returncode == 0
    assert "in the order of the input" in ran.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["in", *(name + end for name in ("out", "again", "ordered") for end in ("", ".plan.toml"))]
    )
