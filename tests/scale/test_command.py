"""The command protects a folder, says what it did, and its plan gives the same bytes again."""

from __future__ import annotations

import pandas as pd
import pytest

from command_line import run_shoal
from scale.running import alike, bytes_of, mixed, write_parts

ENGINE = ["--engine", "dask", "--workers", 2, "--worker-memory", "2GB"]


@pytest.mark.slow
def test_a_job_replaces_the_folder_that_it_wrote_and_no_other(tmp_path):
    write_parts(mixed(300), tmp_path / "in")
    (tmp_path / "job.toml").write_text('file = "in"\nk = 5\noutput = "out"\nreport = "report.html"\nseed = 1')
    for k in (5, 6):
        ran = run_shoal("protect", "--job", "job.toml", "-k", k, *ENGINE, cwd=tmp_path)
        assert (ran.returncode, ran.stderr) == (0, "")
    (tmp_path / "out" / "mine.parquet").write_bytes(next((tmp_path / "out").iterdir()).read_bytes())
    before = bytes_of(tmp_path / "out")
    ran = run_shoal("protect", "--job", "job.toml", *ENGINE, cwd=tmp_path)
    assert ran.returncode == 1
    assert ran.stderr.startswith("shoal: error: out is there, and is not what shoal wrote there last.")
    assert bytes_of(tmp_path / "out") == before


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
