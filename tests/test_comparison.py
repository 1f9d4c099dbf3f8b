"""Methods side by side."""

from __future__ import annotations

import subprocess
import sys

import pandas as pd
import pytest

import shoal
from shoal.errors import DataError, ParameterError, TooFewRecordsError
from shoal.partition import PARTITIONERS


@pytest.fixture
def frame() -> pd.DataFrame:
    return shoal.datasets.households(120, seed=4)[["age", "wage_income", "tax"]]


def test_every_method_at_every_k_or_the_reason_why_not(frame):
    methods = [name for name in PARTITIONERS if name not in ("refine", "optimal-univariate")]
    comparison = shoal.compare(frame, [3, 4], [*methods, shoal.partition.Refine(3, seconds=None, steps=64)])
    assert len(comparison.rows) == 2 * (len(methods) + 1)
    for row in comparison.rows:
        assert row.smallest_group >= row.k
        assert 0 < row.information_loss < 100
        assert row.seconds > 0


def test_the_loss_is_that_of_protect(frame):
    (row,) = shoal.compare(frame, 3, "mdav").rows
    assert row.information_loss == shoal.protect(frame, 3).evaluate().information_loss


def test_all_leaves_out_what_cannot_group_the_table_and_says_so(frame, monkeypatch):
    monkeypatch.setattr(shoal.partition.Refine, "most_records", 10)
    monkeypatch.setattr(shoal.partition.MD, "most_records", 100)
    comparison = shoal.compare(frame, 3)
    assert {row.method for row in comparison.rows} == set(PARTITIONERS) - {"md", "refine", "optimal-univariate"}
    assert "too long" in comparison.left_out["md"]
    assert "3 columns" in comparison.left_out["optimal-univariate"]


def test_what_is_named_is_run_or_an_error(frame):
    with pytest.raises(DataError, match="columns"):
        shoal.compare(frame, 3, "optimal-univariate")
    assert len(shoal.compare(frame, 3, "optimal-univariate", blocks=1).rows) == 1
    with pytest.raises(ParameterError, match="no method"):
        shoal.compare(frame, 3, "mdva")
    with pytest.raises(TooFewRecordsError):
        shoal.compare(frame, 500, "all")
    with pytest.raises(ParameterError, match="nothing to compare"):
        shoal.compare(frame, [], "mdav")


def test_the_command_prints_and_saves_a_table(frame, tmp_path):
    shoal.write_table(frame, tmp_path / "data.csv")
    command = "compare data.csv -k 3,5 --methods mdav,hac:linkage=single,priority=1.0,vmdav:gamma=0.5"
    ran = subprocess.run(
        [sys.executable, "-m", "shoal", *command.split()], cwd=tmp_path, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    saved = pd.read_csv(tmp_path / "data-compared.csv")
    assert set(saved["method"]) == {"mdav", "hac:linkage=single,priority=1.0", "vmdav:gamma=0.5"}
    assert saved["k"].tolist().count(3) == 3
    assert "hac:linkage=single,priority=1.0" in ran.stdout
