"""Excel files as people make them."""

from __future__ import annotations

import datetime
from pathlib import Path

import openpyxl
import pandas as pd
import pytest

from shoal.errors import ReadError
from shoal.read import as_table, read_table


def test_excel_as_people_make_it(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (
        [None, None, None, None],
        ["id", "x", "mixed", None],
        [1, 1.5, "A", None],
        [None, None, None, None],
        [2, "NA", 5, None],
        [3, "#DIV/0!", 6.5, None],
        [None, None, None, None],
    ):
        sheet.append(row)
    second = book.create_sheet("Other one")
    second.append(["only"])
    second.append([datetime.datetime(2020, 1, 31)])
    book.create_sheet("Empty")
    book.save(tmp_path / "t.xlsx")
    frame = read_table(tmp_path / "t.xlsx")
    assert list(frame.columns) == ["id", "x", "mixed"]
    assert frame["id"].tolist() == [1, 2, 3]
    assert as_table(frame).missing("x").tolist() == [False, True, True]
    assert frame["mixed"].tolist() == ["A", "5", "6.5"]
    assert read_table(tmp_path / "t.xlsx", sheet="Other one")["only"].tolist() == [pd.Timestamp("2020-01-31")]
    assert len(read_table(tmp_path / "t.xlsx", sheet=1)) == 1
    with pytest.raises(ReadError, match='no sheet "Other"; its sheets are'):
        read_table(tmp_path / "t.xlsx", sheet="Other")
    with pytest.raises(ReadError, match="no sheet 7"):
        read_table(tmp_path / "t.xlsx", sheet=7)
    with pytest.raises(ReadError, match='"Empty" is empty'):
        read_table(tmp_path / "t.xlsx", sheet="Empty")
