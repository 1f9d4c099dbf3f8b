"""Read Excel files: one sheet is one table, its first row the column names."""

from __future__ import annotations

import datetime
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import ReadError, nearest_name_hint
from shoal.read.csv_columns import MISSING_WORDS
from shoal.read.files import ReadOptions, name_header
from shoal.read.labels import Labels

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_xlsx"]

# openpyxl, pandas and pyarrow are imported inside functions, to keep start-up quick.

MISSING_AMONG_NUMBERS = {word.lower() for word in MISSING_WORDS}


def read_xlsx(path: Path, options: ReadOptions) -> tuple[pd.DataFrame, Labels]:
    """Read a sheet; a formula counts as the value Excel last computed, an error as a missing value."""
    import openpyxl
    import pandas as pd

    book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    try:
        sheet = _chosen_sheet(path, book, options.sheet)
        sheet.reset_dimensions()  # the size a file states may be wrong
        rows = _without_margins(
            [[None if cell.data_type == "e" else cell.value for cell in row] for row in sheet.iter_rows()]
        )
    finally:
        book.close()
    if not rows:
        raise ReadError(f'{path}: the sheet "{sheet.title}" is empty.')
    names = name_header(path, ["" if cell is None else str(cell) for cell in rows[0]])
    columns = {name: _column([row[place] for row in rows[1:]]) for place, name in enumerate(names)}
    return pd.DataFrame(columns, index=pd.RangeIndex(len(rows) - 1)), Labels()


def _chosen_sheet(path: Path, book: Any, sheet: str | int | None) -> Any:
    titles = [one.title for one in book.worksheets]
    if isinstance(sheet, str) and sheet in titles:
        return book.worksheets[titles.index(sheet)]
    if sheet is None or isinstance(sheet, int):
        place = sheet or 0
        if 0 <= place < len(titles):
            return book.worksheets[place]
        raise ReadError(f"{path} has no sheet {place}; it has {len(titles)}, counted from 0.")
    shown = ", ".join(f'"{title}"' for title in titles)
    raise ReadError(f'{path} has no sheet "{sheet}"; its sheets are {shown}.{nearest_name_hint(sheet, titles)}')


def _without_margins(rows: list[list[Any]]) -> list[list[Any]]:
    """Return the rows without the empty ones around them and, if there are several columns, between them."""
    filled = [place for row in rows for place, cell in enumerate(row) if not _is_empty(cell)]
    width = max(filled, default=-1) + 1
    even = [(row + [None] * width)[:width] for row in rows]
    while even and all(_is_empty(cell) for cell in even[-1]):
        even.pop()
    while even and all(_is_empty(cell) for cell in even[0]):
        even.pop(0)
    if width > 1:
        even = [row for row in even if not all(_is_empty(cell) for cell in row)]
    return even


def _is_empty(cell: Any) -> bool:
    return cell is None or cell == ""


def _column(cells: list[Any]) -> pd.Series[Any]:
    """Return the cells of one column in the one type they all have; as text if they have several."""
    import pandas as pd
    import pyarrow

    values = [None if _is_empty(cell) else cell for cell in cells]
    words = [isinstance(cell, str) and cell.strip().lower() in MISSING_AMONG_NUMBERS for cell in values]
    numbers = [None if word else cell for cell, word in zip(values, words, strict=True)]
    kinds = {type(cell) for cell in numbers if cell is not None}
    some_missing = None in numbers
    if kinds == {int} and all(-(2**63) <= cell < 2**63 for cell in numbers if cell is not None):
        return pd.Series(numbers, dtype="Int64" if some_missing else "int64")
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
