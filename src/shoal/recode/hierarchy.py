"""Hierarchy: every value becomes what a table of levels calls it."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from shoal.describe.variables import codes
from shoal.errors import DataError, ParameterError, ReadError
from shoal.parameters.limits import Limit, OrNone, Whole
from shoal.read import Table, as_table
from shoal.read.csv_columns import NUMBER, NUMBER_WITH_COMMA
from shoal.read.files import format_of
from shoal.recode.base import Categories, Numbers, Recode, Whole64, counted, text_of

__all__ = ["Hierarchy"]

_NUMBER, _WITH_COMMA = re.compile(NUMBER), re.compile(NUMBER_WITH_COMMA)
_WHOLE = re.compile("0|-?[1-9][0-9]*")


@dataclass(frozen=True)
class _Encoding(Limit):
    """The name of an encoding that Python knows."""

    @property
    def wanted(self) -> str:
        return "an encoding, such as latin-1 or cp1252"

    def accepts(self, value: Any) -> bool:
        try:
            return isinstance(value, str) and bool(codecs.lookup(value))
        except (LookupError, ValueError):
            return False

    def bad_values(self) -> list[Any]:
        return ["", "no such", 5, True]


@dataclass(frozen=True)
class Hierarchy(Recode):
    """Replace values by those of a coarser level: municipalities by regions, occupations by groups of them.

    Parameters
    ----------
    path
        A file (CSV or another that shoal reads) or a table with one column a level: first the value, then what it
        belongs to, from fine to coarse. A plan holds the table itself, not the path.
    level
        Which level: 1 is the second column.
    table
        The same as rows, as a plan writes it.
    encoding
        The encoding of a CSV file that is not UTF-8: "latin-1", "cp1252". Its cells are read as text and stay what
        they are: "01" is not 1 and "1.10" not "1.1", though 1.1 in the data finds "1.10" where there is no "1.1".
    """

    name: ClassVar[str] = "hierarchy"
    summary: ClassVar[str] = "replaces values by those of a coarser level, from a table with one column a level"
    limits: ClassVar[Mapping[str, Limit]] = {"level": Whole(1), "encoding": OrNone(_Encoding())}

    path: Any = None
    level: int = 1
    table: Sequence[Sequence[Any]] | None = None
    encoding: str | None = None

    def check(self) -> None:
        """Raise ParameterError or DataError if the table is not one of levels."""
        if (self.path is None) == (self.table is None):
            raise ParameterError(
                'recode "hierarchy" needs the path of a file with one column a level (hierarchy:path=regions.csv).',
                parameter="path",
            )
        if self.encoding is not None and not isinstance(self.path, str | os.PathLike):
            raise ParameterError("encoding is for files. Leave it out.", parameter="encoding")
        width = len(self._rows[0])
        if self.level >= width:
            raise ParameterError(
                f'recode "hierarchy" has {width - 1} levels beside the values; level={self.level} is not one of them.',
                parameter="level",
            )
        _refuse_two_parents(self._rows)

    def written(self) -> dict[str, Any]:
        """Return it as a plan holds it, with its table."""
        return {"name": self.name, "level": int(self.level), "table": list(map(list, self._rows))}

    def public(self) -> dict[str, Any]:
        """Return what may be published: which level it is, and nothing of the table."""
        return {"name": self.name, "level": int(self.level)}

    def recoded(self, table: Table, column: str, k: int) -> Numbers | Categories:
        """Return what every value belongs to."""
        numbered = codes(table, column)
        observed, first = np.unique(numbered[numbered >= 0], return_index=True)
        cells = table.cells(column)[np.flatnonzero(numbered >= 0)[first]]
        rows = self._rows
        row_of = {row[0]: row for row in rows}
        texts = [text_of(cell) for cell in cells]
        if table.is_numeric(column):
            texts = _as_spelled(texts, row_of, column)
        absent = [text not in row_of for text in texts]
        if any(absent):
            records = int(np.isin(numbered, observed[np.array(absent)]).sum())
            found = f"{counted(sum(absent), 'different value')}, of {counted(records, 'record')}"
            raise DataError(
                f'recode "hierarchy" of "{column}": not in its first column: {found}. Add them to the table, or make '
                "them missing (missing_codes, --missing-codes)."
            )
        new = [row_of[text][self.level] for text in texts]
        places = np.where(numbered < 0, -1, np.searchsorted(observed, numbered))
        if table.is_integer(column) and all(len(text) < 16 and _WHOLE.fullmatch(text) for text in set(new)):
            return Numbers(np.array([*map(float, new), np.nan])[places], labels={}, kind="nominal")
        categories = sorted(set(new))
        place = {text: number for number, text in enumerate(categories)}
        as_new: Whole64 = np.array([*(place[text] for text in new), -1], dtype=np.int64)
        return Categories(as_new[places], tuple(categories), ordered=False)

    @cached_property
    def _rows(self) -> list[tuple[str, ...]]:
        """The rows of the table as texts, each once."""
        rows = _given_rows(self.table) if self.path is None else _rows_of(self.path, self.encoding)
        if not rows or len(rows[0]) < 2:
            raise DataError('The table of recode "hierarchy" needs two columns at least: the value, and a level.')
        empty = sum("" in row for row in rows)
        if empty:
            raise DataError(f'The table of recode "hierarchy" has an empty cell in {counted(empty, "row")}. Fill them.')
        if len({row[0] for row in rows}) == len(rows):
            return rows
        rows = list(dict.fromkeys(rows))
        repeated = len(rows) - len({row[0] for row in rows})
        if repeated:
            raise DataError(
                f'The table of recode "hierarchy" gives {counted(repeated, "value")} twice, with different levels. '
                "Keep one row for each value."
            )
        return rows


def _given_rows(table: Any) -> list[tuple[str, ...]]:
    is_list = isinstance(table, list | tuple) and all(isinstance(row, list | tuple) for row in table)
    if not is_list or len({len(row) for row in table}) != 1:
        raise ParameterError(
            'The table of recode "hierarchy" is a list of rows, all of the same length: the value, then its levels.',
            parameter="table",
        )
    return list(zip(*(list(map(text_of, level)) for level in zip(*table, strict=True)), strict=True))


def _rows_of(path: Any, encoding: str | None) -> list[tuple[str, ...]]:
    if isinstance(path, list | tuple):
        return _given_rows(path)
    if not isinstance(path, str | os.PathLike) and not hasattr(path, "columns"):
        raise ParameterError(
            f'recode "hierarchy" needs the path of a file, or a table; got {type(path).__name__}.', parameter="path"
        )
    read = _read(path, encoding)
    cells = [["" if cell is None else text_of(cell) for cell in read.cells(name)] for name in read.names]
    return list(zip(*cells, strict=True))


def _read(path: Any, encoding: str | None) -> Table:
    if not isinstance(path, str | os.PathLike):
        return as_table(path)
    known = format_of(Path(path))
    reading: dict[str, Any] = {} if encoding is None else {"encoding": encoding}
    if known is not None and "as_text" in known.options:
        reading["as_text"] = True
    try:
        return as_table(path, **reading)
    except ReadError as error:
        if error.encoding is None:
            raise
        raise ReadError(
            f'The table of recode "hierarchy" cannot be read as {error.encoding}. Give its encoding '
            f"(hierarchy:path={path},encoding=latin-1).",
            encoding=error.encoding,
        ) from None


def _as_spelled(texts: Sequence[str], row_of: Mapping[str, Any], column: str) -> list[str]:
    """Return the texts of numbers as a table spells them: "1.10" for 1.1, if it has no "1.1"."""
    if all(text in row_of for text in texts):
        return list(texts)
    spelled: dict[str, list[str]] = {}
    for text in row_of:
        number = text.replace(",", ".") if _WITH_COMMA.fullmatch(text) else text
        if _NUMBER.fullmatch(number):
            spelled.setdefault(text_of(Decimal(number)), []).append(text)
    several = sum(text not in row_of and len(spelled.get(text, ())) > 1 for text in texts)
    if several:
        raise DataError(
            f'recode "hierarchy" of "{column}": {several:,} of its numbers are in several rows of the table, spelled '
            "in several ways. Keep one of them."
        )
    return [text if text in row_of else spelled.get(text, [text])[0] for text in texts]


def _refuse_two_parents(rows: Sequence[Sequence[str]]) -> None:
    """Raise DataError unless every entry of a level belongs to one entry of the next."""
    levels = list(zip(*rows, strict=True))[1:]
    for number, (finer, coarser) in enumerate(pairwise(levels), start=1):
        several = len(set(zip(finer, coarser, strict=True))) - len(set(finer))
        if several:
            raise DataError(
                f'The table of recode "hierarchy" is none: at level {number}, {several:,} entries belong to several of '
                f"level {number + 1}. Correct it."
            )
