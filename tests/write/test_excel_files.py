"""Values and types in Excel files, and what a sheet cannot hold."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pytest

from oracles.sample_tables import every_type
from shoal.errors import WriteError
from shoal.read import read_table
from shoal.write import write_table

SECRET = "987654321"


def test_excel_keeps_values_types_and_dates(tmp_path: Path) -> None:
    write_table(every_type(), tmp_path / "t.xlsx")
    back = read_table(tmp_path / "t.xlsx")
    pd.testing.assert_frame_equal(back.drop(columns="c"), every_type().drop(columns="c"))
    assert back["c"].tolist()[:2] == ["lo", "hi"]


def test_excel_text_is_never_a_formula(tmp_path: Path) -> None:
    """As openpyxl reads the file when asked for formulas."""
    texts = ["=1+1", '=HYPERLINK("x")', "+1", "@SUM(A1)", "-2", "#N/A", "007"]
    write_table(pd.DataFrame({"=name": texts}), tmp_path / "t.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "t.xlsx").active
    assert sheet is not None
    assert [row[0].data_type for row in sheet.iter_rows()] == ["s"] * 8
    assert read_table(tmp_path / "t.xlsx")["=name"].tolist() == texts


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (pl.DataFrame({"x": np.zeros(1_048_576, dtype=np.int8)}), "1,048,575 rows"),
        (np.zeros((1, 16_385)), "16,384 columns"),
        (pd.DataFrame({"x": [np.inf]}), "infinite"),
        (pd.DataFrame({"x": [SECRET * 4000]}), "characters"),
        (pd.DataFrame({"x": [SECRET + "\x01"]}), "control characters"),
        (pd.DataFrame({"x": [datetime.date(1850, 1, 1)]}), "before 1900"),
        (pd.DataFrame({"x": pd.to_datetime(["2020-01-01"]).tz_localize("UTC")}), "time zone"),
        (pd.DataFrame({"x": [1.0, None, 2.0], "y": ["a", None, "b"]}), "1 record has no value in any column"),
        (pd.DataFrame({"x": ["", "a", None], "y": [None, "b", ""]}), "2 records have no value in any column"),
    ],
)
def test_what_excel_cannot_hold_is_refused(tmp_path: Path, data: Any, message: str) -> None:
    with pytest.raises(WriteError, match=message) as caught:
        write_table(data, tmp_path / "t.xlsx")
    assert SECRET not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_staged_in_the_temporary_folder_of_the_system(tmp_path: Path, monkeypatch: Any) -> None:
    """It may be small, or on a disk that others can read."""

    def refuse(*arguments: Any, **options: Any) -> None:
        raise AssertionError("a temporary file elsewhere")

    monkeypatch.setattr("openpyxl.worksheet._writer.NamedTemporaryFile", refuse)
    monkeypatch.setattr("tempfile.mkstemp", refuse)
    write_table(every_type(), tmp_path / "t.xlsx")
    assert [one.name for one in tmp_path.iterdir()] == ["t.xlsx"]
