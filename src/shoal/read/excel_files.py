"""Read Excel files: one sheet is one table, its first row the column names."""

from __future__ import annotations

import datetime
import math
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from shoal.errors import ReadError, nearest_name_hint
from shoal.read.budget import ReadingBudget, budget_of
from shoal.read.csv_columns import MISSING_WORDS
from shoal.read.excel_parts import Relationships, SharedTexts, Sheet, Styles, Workbook
from shoal.read.files import ReadOptions, name_header, refuse_numbers_as_names, refuse_values_as_names
from shoal.read.labels import Labels
from shoal.read.safe_xml import XmlHandler, parse, refuse_doctype

if TYPE_CHECKING:
    import pandas as pd

_Handler = TypeVar("_Handler", bound=XmlHandler)

__all__ = ["Package", "read_xlsx"]

# pandas and pyarrow are imported inside functions, to keep start-up quick.

# Cells are Python objects until the whole sheet is read, and a cell takes about five bytes of the file.
CELLS, CELLS_PER_BYTE = 3_000_000, 0.3
MISSING_AMONG_NUMBERS = {word.lower() for word in MISSING_WORDS}


def read_xlsx(path: Path, options: ReadOptions) -> tuple[pd.DataFrame, Labels]:
    """Read a sheet; a formula counts as the value Excel last computed, an error as a missing value."""
    import pandas as pd

    budget = budget_of(path, options.budget, CELLS, CELLS_PER_BYTE)
    with zipfile.ZipFile(path) as archive:
        title, rows = Package(archive, budget).sheet(options.sheet)
    rows = _without_margins(rows, budget)
    if not rows:
        raise ReadError(f'{path}: the sheet "{title}" is empty.')
    header = ["" if cell is None else str(cell) for cell in rows[0]]
    refuse_numbers_as_names(path, header)
    names = name_header(path, header)
    columns = {name: _column([row[place] for row in rows[1:]]) for place, name in enumerate(names)}
    frame = pd.DataFrame(columns, index=pd.RangeIndex(len(rows) - 1))
    refuse_values_as_names(path, frame)
    return frame, Labels()


class Package:
    """The XML documents in an Excel file, which refer to each other; none may declare a document type."""

    def __init__(self, archive: zipfile.ZipFile, budget: ReadingBudget) -> None:
        self._archive = archive
        self._budget = budget
        parts = archive.infolist()
        budget.refuse_bytes(sum(part.file_size for part in parts))
        self._parts = {part.filename for part in parts}
        for part in parts:
            if part.file_size and part.filename.lower().endswith((".xml", ".rels")):
                with archive.open(part) as file:
                    refuse_doctype(file, f"{budget.path} ({part.filename})")

    def sheet(self, wanted: str | int | None) -> tuple[str, list[list[Any]]]:
        """Return the title and the rows of a sheet, by its name or position."""
        owner = self._relationships("").by_type["officeDocument"]
        book, related = self._read(owner, Workbook(self._budget)), self._relationships(owner)
        sheets = {title: related.parts[one] for title, one in book.sheets if related.parts.get(one) in self._parts}
        title = _chosen_sheet(self._budget.path, list(sheets), wanted)
        shared = self._read(related.by_type.get("sharedStrings"), SharedTexts(self._budget))
        styles = self._read(related.by_type.get("styles"), Styles(self._budget))
        sheet = Sheet(self._budget, shared.shared, styles, book.since_1904)
        return title, self._read(sheets[title], sheet).rows

    def _relationships(self, owner: str) -> Relationships:
        folder, _, name = owner.rpartition("/")
        return self._read(f"{folder}/_rels/{name}.rels".lstrip("/"), Relationships(self._budget, owner))

    def _read(self, part: str | None, handler: _Handler) -> _Handler:
        """Return the handler after it got a part; as it was if there is no such part."""
        if part in self._parts:
            with self._archive.open(part) as file:
                parse(file, handler)
        return handler


def _chosen_sheet(path: Path, titles: list[str], sheet: str | int | None) -> str:
    if isinstance(sheet, str) and sheet in titles:
        return sheet
    if sheet is None or isinstance(sheet, int):
        place = sheet or 0
        if 0 <= place < len(titles):
            return titles[place]
        raise ReadError(f"{path} has no sheet {place}; it has {len(titles)}, counted from 0.")
    shown = ", ".join(f'"{title}"' for title in titles)
    raise ReadError(f'{path} has no sheet "{sheet}"; its sheets are {shown}.{nearest_name_hint(sheet, titles)}')


def _without_margins(rows: list[list[Any]], budget: ReadingBudget) -> list[list[Any]]:
    """Return the rows, all of one length, without the empty ones around them or, in several columns, between them."""
    reach = [max((place for place, cell in enumerate(row, 1) if not _is_empty(cell)), default=0) for row in rows]
    width = max(reach, default=0)
    filled = [place for place, length in enumerate(reach) if length]
    if width <= 1 and filled:
        filled = list(range(filled[0], filled[-1] + 1))  # an empty row of one column is a missing value
    budget.refuse_table(len(filled), width)
    return [(rows[place] + [None] * (width - len(rows[place])))[:width] for place in filled]


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
