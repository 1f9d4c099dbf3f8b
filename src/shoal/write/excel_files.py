"""Write Excel files: a table is one sheet, its column names in the first row."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from decimal import Decimal
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw

from shoal.errors import WriteError
from shoal.read import Labels
from shoal.read.columns import missing
from shoal.write.timestamps import UndatedZip

__all__ = ["write_xlsx"]

# openpyxl is imported inside functions, to keep start-up quick.

MOST_ROWS = 1_048_575  # and one for the names
MOST_COLUMNS = 16_384
MOST_CHARACTERS = 32_767


def write_xlsx(frame: nw.DataFrame[Any], labels: Labels, path: Path) -> None:
    """Write one sheet; text stays text even where it looks like a formula; labels are left out."""
    import openpyxl
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.worksheet._writer import WorksheetWriter
    from openpyxl.writer.excel import ExcelWriter

    if len(frame) > MOST_ROWS:
        raise WriteError(
            f"An Excel sheet holds {MOST_ROWS:,} rows, the table has {len(frame):,}. Write CSV or Parquet."
        )
    if len(frame.columns) > MOST_COLUMNS:
        raise WriteError(f"An Excel sheet holds {MOST_COLUMNS:,} columns, the table has {len(frame.columns):,}.")
    # All checks come first: what is refused need not be written.
    header = [(_checked_text(name, name), "s") for name in frame.columns]
    contents = [list(_cells(frame[name])) for name in frame.columns]
    _refuse_empty_rows(contents)
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("data")

    def cell(content: Any, kind: str) -> Any:
        # The type is set by hand: openpyxl makes formulas of "=..." and errors of "#N/A". A float goes in as
        # its own text, because openpyxl would round it to 16 digits.
        one = WriteOnlyCell(sheet)
        one._value, one.data_type = content, kind
        return one

    class StreamedExcelWriter(ExcelWriter):  # type: ignore[misc]
        """Writes the rows straight into the archive; openpyxl would stage them in the system's temporary folder."""

        def write_worksheet(self, sheet: Any) -> None:
            with self._archive.entry(sheet.path[1:]) as stream, _abandoned_quietly(sheet):
                sheet._writer = WorksheetWriter(sheet, stream)
                sheet._writer.write_top()
                sheet.append([cell(*one) for one in header])
                for row in zip(*contents, strict=True):
                    sheet.append([cell(*one) if isinstance(one, tuple) else one for one in row])
                sheet.close()
            sheet._rels = sheet._writer._rels
            self.manifest.append(sheet)

    book.properties.created = book.properties.modified = datetime.datetime(1980, 1, 1)
    with UndatedZip(path, "w") as archive:
        StreamedExcelWriter(book, archive).save()


@contextmanager
def _abandoned_quietly(sheet: Any) -> Iterator[None]:
    """Close the generators of a sheet that could not be written; left alone, each would print its own error."""
    try:
        yield
    except BaseException:
        for one in (sheet._rows, sheet._writer):
            with suppress(Exception):
                one.close()
        raise


def _cells(series: nw.Series[Any]) -> Iterator[Any]:
    """Yield what goes into the cells of a column: None, a pair of content and type, a truth value or a date."""
    dtype = series.dtype
    if isinstance(dtype, nw.Datetime) and dtype.time_zone is not None:
        raise WriteError(f'Column "{series.name}" has times with a time zone, which Excel cannot hold.')
    for content, absent in zip(series.to_list(), missing(series), strict=True):
        if absent:
            yield None
        elif isinstance(content, bool):
            yield content
        elif isinstance(content, Integral):
            yield str(int(content)), "n"
        elif isinstance(content, (Real, Decimal)):
            if math.isinf(content):
                raise WriteError(f'Column "{series.name}" has an infinite value, which Excel cannot hold.')
            yield str(content) if isinstance(content, Decimal) else repr(float(content)), "n"
        elif isinstance(content, (datetime.date, datetime.time)):
            yield _checked_date(series.name, content)
        else:
            yield _checked_text(series.name, str(content)), "s"


def _refuse_empty_rows(contents: list[list[Any]]) -> None:
    """Raise WriteError for records without a single value: whoever reads the sheet takes their rows for blank lines."""
    empty = sum(all(one is None or one == ("", "s") for one in row) for row in zip(*contents, strict=True))
    if empty:
        records = "1 record has" if empty == 1 else f"{empty:,} records have"
        raise WriteError(f"{records} no value in any column, and an Excel sheet would lose them. Write CSV or Parquet.")


def _checked_text(column: str, text: str) -> str:
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    if len(text) > MOST_CHARACTERS:
        raise WriteError(f'Column "{column}" has text of more than {MOST_CHARACTERS:,} characters, the most in a cell.')
    if ILLEGAL_CHARACTERS_RE.search(text):
        raise WriteError(f'Column "{column}" has text with control characters, which Excel cannot hold.')
    return text


def _checked_date(column: str, content: Any) -> Any:
    if isinstance(content, datetime.date) and content.year < 1900:
        raise WriteError(f'Column "{column}" has dates before 1900, which Excel cannot hold.')
    return content.to_pydatetime() if hasattr(content, "to_pydatetime") else content
