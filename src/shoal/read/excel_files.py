"""Excel files: one sheet is one table, the first row names its columns."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator
from decimal import Decimal
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw

from shoal.errors import ReadError, WriteError, nearest_name_hint
from shoal.read.columns import missing
from shoal.read.csv_columns import MISSING_WORDS
from shoal.read.files import ReadOptions, name_header
from shoal.read.labels import Labels
from shoal.read.timestamps import UndatedZip

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_xlsx", "write_xlsx"]

MOST_ROWS = 1_048_575  # and one for the names
MOST_COLUMNS = 16_384
MOST_CHARACTERS = 32_767
MISSING_AMONG_NUMBERS = {word.lower() for word in MISSING_WORDS}


def read_xlsx(path: Path, options: ReadOptions) -> tuple[pd.DataFrame, Labels]:
    """Read a sheet; formulas count as the values Excel last computed, its error values as gaps."""
    import openpyxl
    import pandas as pd

    book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    try:
        sheet = _sheet(path, book, options.sheet)
        sheet.reset_dimensions()  # the size a file states may be wrong
        rows = _cut_to_content(
            [[None if cell.data_type == "e" else cell.value for cell in row] for row in sheet.iter_rows()]
        )
    finally:
        book.close()
    if not rows:
        raise ReadError(f'{path}: the sheet "{sheet.title}" is empty.')
    names = name_header(path, ["" if cell is None else str(cell) for cell in rows[0]])
    columns = {name: _column([row[place] for row in rows[1:]]) for place, name in enumerate(names)}
    return pd.DataFrame(columns, index=pd.RangeIndex(len(rows) - 1)), Labels()


def write_xlsx(frame: nw.DataFrame[Any], labels: Labels, path: Path) -> None:
    """Write one sheet; text is always text, even where it looks like a formula."""
    import openpyxl
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.writer.excel import ExcelWriter

    if len(frame) > MOST_ROWS:
        raise WriteError(
            f"An Excel sheet holds {MOST_ROWS:,} rows, the table has {len(frame):,}. Write CSV or Parquet."
        )
    if len(frame.columns) > MOST_COLUMNS:
        raise WriteError(f"An Excel sheet holds {MOST_COLUMNS:,} columns, the table has {len(frame.columns):,}.")
    # All checks come first: openpyxl complains aloud about a sheet that is left half written.
    header = [(_checked_text(name, name), "s") for name in frame.columns]
    contents = [list(_cells(frame[name])) for name in frame.columns]
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("data")

    def cell(content: Any, kind: str) -> Any:
        # The type is set by hand: openpyxl makes formulas of "=..." and errors of "#N/A". A float goes in as
        # its own text, because openpyxl would round it to 16 digits.
        one = WriteOnlyCell(sheet)
        one._value, one.data_type = content, kind
        return one

    sheet.append([cell(*one) for one in header])
    for row in zip(*contents, strict=True):
        sheet.append([cell(*one) if isinstance(one, tuple) else one for one in row])
    book.properties.created = book.properties.modified = datetime.datetime(1980, 1, 1)
    with UndatedZip(path, "w") as archive:
        ExcelWriter(book, archive).save()


def _sheet(path: Path, book: Any, wanted: str | int | None) -> Any:
    titles = [sheet.title for sheet in book.worksheets]
    if isinstance(wanted, str) and wanted in titles:
        return book.worksheets[titles.index(wanted)]
    if wanted is None or isinstance(wanted, int):
        place = wanted or 0
        if 0 <= place < len(titles):
            return book.worksheets[place]
        raise ReadError(f"{path} has no sheet {place}; it has {len(titles)}, counted from 0.")
    shown = ", ".join(f'"{title}"' for title in titles)
    raise ReadError(f'{path} has no sheet "{wanted}"; its sheets are {shown}.{nearest_name_hint(wanted, titles)}')


def _cut_to_content(rows: list[list[Any]]) -> list[list[Any]]:
    """Return the rows as a rectangle, without the empty margins; in several columns without empty rows at all."""
    filled = [place for row in rows for place, cell in enumerate(row) if not _empty(cell)]
    width = max(filled, default=-1) + 1
    even = [(row + [None] * width)[:width] for row in rows]
    while even and all(_empty(cell) for cell in even[-1]):
        even.pop()
    while even and all(_empty(cell) for cell in even[0]):
        even.pop(0)
    if width > 1:
        even = [row for row in even if not all(_empty(cell) for cell in row)]
    return even


def _empty(cell: Any) -> bool:
    return cell is None or cell == ""


def _column(cells: list[Any]) -> pd.Series[Any]:
    """Return the cells of one column in the one type they all have; as text if they have several."""
    import pandas as pd
    import pyarrow

    values = [None if _empty(cell) else cell for cell in cells]
    words = [isinstance(cell, str) and cell.strip().lower() in MISSING_AMONG_NUMBERS for cell in values]
    numbers = [None if word else cell for cell, word in zip(values, words, strict=True)]
    kinds = {type(cell) for cell in numbers if cell is not None}
    gap = any(cell is None for cell in numbers)
    if kinds == {int} and all(-(2**63) <= cell < 2**63 for cell in numbers if cell is not None):
        return pd.Series(numbers, dtype="Int64" if gap else "int64")
    if kinds and kinds <= {int, float}:
        return pd.Series([math.nan if cell is None else float(cell) for cell in numbers], dtype="float64")
    kinds = {type(cell) for cell in values if cell is not None}
    if kinds == {bool}:
        return pd.Series(values, dtype="boolean" if None in values else "bool")
    if kinds and kinds <= {datetime.datetime, datetime.date}:
        return pd.Series(pd.to_datetime(pd.Series(values, dtype=object)))
    texts = pyarrow.array([None if cell is None else _text(cell) for cell in values], pyarrow.string())
    return texts.to_pandas()  # type: ignore[no-any-return]


def _text(cell: Any) -> str:
    # Excel knows only one kind of number: 5 beside text is "5", however it was stored.
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _cells(series: nw.Series[Any]) -> Iterator[Any]:
    """Yield what goes into the cells of a column: None, a pair of content and type, or a date."""
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
