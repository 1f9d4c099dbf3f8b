"""The work on a table grows with the number of its columns, and not with the square of it.

Without a clock: the calls of Python and of compiled functions are counted, in tables of 200 and of 400 columns.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.describe import describe_table
from shoal.flow.plan import Plan
from shoal.read import as_table
from shoal.report.terminal.description import description_text

MORE = 2.5  # times the calls for twice the columns, at most


def wide(columns: int, records: int = 12) -> dict[str, Any]:
    rng = np.random.default_rng(columns)
    kinds = (
        lambda: rng.normal(size=records).round(3),
        lambda: rng.integers(0, 100, records),
        lambda: rng.choice(["a", "b", "c"], records),
        lambda: np.full(records, 7.5),
    )
    return {f"v{place}": kinds[place % 4]() for place in range(columns)}


def calls_of(work: Callable[[], object]) -> int:
    count = 0

    def counted(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def assert_linear(work_on: Callable[[int], Callable[[], object]]) -> None:
    work_on(100)()  # imports and what is made once
    few, many = (calls_of(work_on(columns)) for columns in (200, 400))
    assert many < MORE * few


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_describe(make):
    assert_linear(lambda columns: lambda: describe_table(make(wide(columns))))


def test_describe_a_file_and_print_it(tmp_path):
    def work_on(columns):
        path = tmp_path / f"{columns}.csv"
        pd.DataFrame(wide(columns)).to_csv(path, index=False)

        def work():
            table = as_table(path)
            description_text("file", len(table), describe_table(table))

        return work

    assert_linear(work_on)


@pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
@pytest.mark.parametrize("blocks", [None, 2])
def test_protect(blocks):
    assert_linear(lambda columns: lambda: shoal.protect(pd.DataFrame(wide(columns)), 3, seed=1, blocks=blocks))


@pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
def test_evaluate_report_and_write(tmp_path):
    def work_on(columns):
        release = shoal.protect(pd.DataFrame(wide(columns)), 3, seed=1)

        def work():
            release.report(tmp_path / "report.html", "public", release.evaluate(quick=True))
            release.write(tmp_path / f"{columns}.csv", plan=tmp_path / f"{columns}.toml")
            Plan.from_toml(tmp_path / f"{columns}.toml")

        return work

    assert_linear(work_on)


def test_statistics_of_pairs_are_of_500_variables_at_most():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(12, 600)), columns=[f"v{place}" for place in range(600)])
    measured = shoal.evaluate(frame, frame + 0.1, measures=["correlation_difference", "probabilistic_information_loss"])
    assert measured.correlation_difference.of_variables == 500
    assert measured.probabilistic_information_loss.of_variables == 500
    few = shoal.evaluate(frame.iloc[:, :5], frame.iloc[:, :5], measures=["correlation_difference"])
    assert "of_variables" not in few.correlation_difference.parts
