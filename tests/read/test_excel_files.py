"""Excel files as people make them."""

from __future__ import annotations

import datetime
import warnings
import zipfile
from pathlib import Path

import openpyxl
import pandas as pd
import pytest
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.utils.datetime import CALENDAR_MAC_1904, CALENDAR_WINDOWS_1900

from shoal.errors import ReadError
from shoal.read import as_table, read_table
from shoal.read.budget import budget_of
from shoal.read.excel_files import Package


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


def test_cells_are_those_that_openpyxl_reads(tmp_path: Path) -> None:
    """Texts with and without runs, dates, times, durations, truth values, errors, formulas, and days since 1904."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    rich = CellRichText("plain ", TextBlock(InlineFont(b=True), "bold"))
    for row in (
        ["text", rich, " blanks ", "_x005F_x0041_", "Ünï"],
        [1, -2.5, 1e300, 12345678901234567890, 0],
        [True, False, None, "#N/A", "=1+1"],
        [datetime.datetime(2020, 1, 31, 10, 11, 12), datetime.date(1950, 6, 1), datetime.time(1, 2, 3), None, None],
        [datetime.timedelta(hours=30), datetime.datetime(1900, 1, 15), datetime.datetime(1904, 1, 2), None, "end"],
    ):
        sheet.append(row)
    sheet["H9"] = "far"
    sheet["A2"].number_format = '0.00 "days"'
    sheet["B2"].number_format = "[Red]#,##0"
    for epoch in (CALENDAR_WINDOWS_1900, CALENDAR_MAC_1904):
        book.epoch = epoch
        path = tmp_path / "t.xlsx"
        book.save(path)
        expected = [
            [None if cell.data_type == "e" else cell.value for cell in row]
            for row in openpyxl.load_workbook(path, data_only=True).worksheets[0].iter_rows()
        ]
        with zipfile.ZipFile(path) as archive:
            _, rows = Package(archive, budget_of(path, 1)).sheet(None)
        assert [row + [None] * (8 - len(row)) for row in rows] == expected


def test_a_number_that_is_no_day_is_missing_and_not_quoted(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (["day"], [datetime.datetime(2020, 1, 31)], [987654321], [datetime.datetime(2020, 2, 1)]):
        sheet.append(row)
    sheet["A3"].number_format = "yyyy-mm-dd"
    book.save(tmp_path / "t.xlsx")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_table(tmp_path / "t.xlsx")["day"].isna().tolist() == [False, True, False]


@pytest.mark.parametrize("first", [[987654321, 35], ["m", "north"]])
def test_a_sheet_without_a_row_of_names_is_refused(tmp_path: Path, first: list[object]) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (first, ["f", "north"], ["m", "south"]):
        sheet.append(row)
    book.save(tmp_path / "t.xlsx")
    with pytest.raises(ReadError, match="no column names") as caught:
        read_table(tmp_path / "t.xlsx")
    assert "987654321" not in str(caught.value)
