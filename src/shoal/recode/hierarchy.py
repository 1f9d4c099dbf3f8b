"""Hierarchy: every value becomes what a table of levels calls it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from shoal.describe.variables import codes
from shoal.errors import DataError, ParameterError
from shoal.parameters.limits import Limit, Whole
from shoal.read import Table, as_table
from shoal.recode.base import Categories, Numbers, Recode, Whole64, text_of

__all__ = ["Hierarchy"]


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
    """

    name: ClassVar[str] = "hierarchy"
    summary: ClassVar[str] = "replaces values by those of a coarser level, from a table with one column a level"
    limits: ClassVar[Mapping[str, Limit]] = {"level": Whole(1)}

    path: Any = None
    level: int = 1
    table: Sequence[Sequence[Any]] | None = None

    def check(self) -> None:
        """Raise ParameterError or DataError if the table is not one of levels."""
        if (self.path is None) == (self.table is None):
            raise ParameterError(
                'recode "hierarchy" needs the path of a file with one column a level (hierarchy:path=regions.csv).',
                parameter="path",
            )
        width = len(self._rows[0])
        if self.level >= width:
            raise ParameterError(
                f'recode "hierarchy" has {width - 1} levels beside the values; level={self.level} is not one of them.',
                parameter="level",
            )
        _refuse_two_parents(self._rows)

    def written(self) -> dict[str, Any]:
        """Return it as a plan holds it, with its table."""
        return {"name": self.name, "level": int(self.level), "table": [list(row) for row in self._rows]}

    def public(self) -> dict[str, Any]:
        """Return what may be published: which level it is, and nothing of the table."""
        return {"name": self.name, "level": int(self.level)}

    def recoded(self, table: Table, column: str, k: int) -> Numbers | Categories:
        """Return what every value belongs to."""
        numbered = codes(table, column)
        observed, first = np.unique(numbered[numbered >= 0], return_index=True)
        cells = table.cells(column)[np.flatnonzero(numbered >= 0)[first]]
        coarser = {row[0]: row[self.level] for row in self._rows}
        absent = [text_of(cell) not in coarser for cell in cells]
        if any(absent):
            records = int(np.isin(numbered, observed[np.array(absent)]).sum())
            raise DataError(
                f'recode "hierarchy" of "{column}": {sum(absent):,} different values, of {records:,} records, are not '
                "in its first column. Add them to the table, or make them missing (missing_codes)."
            )
        new = [coarser[text_of(cell)] for cell in cells]
        places = np.where(numbered < 0, -1, np.searchsorted(observed, numbered))
        if table.is_integer(column) and all(text.lstrip("-").isdecimal() and len(text) < 16 for text in new):
            return Numbers(np.array([*map(float, new), np.nan])[places], labels={}, kind="nominal")
        texts = sorted(set(new))
        place = {text: number for number, text in enumerate(texts)}
        as_new: Whole64 = np.array([*(place[text] for text in new), -1], dtype=np.int64)
        return Categories(as_new[places], tuple(texts), ordered=False)

    @cached_property
    def _rows(self) -> list[tuple[str, ...]]:
        """The rows of the table as texts, each once."""
        rows = _given_rows(self.table) if self.path is None else _rows_of(self.path)
        if not rows or len(rows[0]) < 2:
            raise DataError('The table of recode "hierarchy" needs two columns at least: the value, and a level.')
        empty = sum(any(text == "" for text in row) for row in rows)
        if empty:
            raise DataError(f'{empty:,} rows of the table of recode "hierarchy" have an empty cell. Fill them.')
        rows = list(dict.fromkeys(rows))
        repeated = len(rows) - len({row[0] for row in rows})
        if repeated:
            raise DataError(
                f'The table of recode "hierarchy" gives {repeated:,} values twice, with different levels. Keep one row '
                "for each value."
            )
        return rows


def _given_rows(table: Any) -> list[tuple[str, ...]]:
    is_list = isinstance(table, list | tuple) and all(isinstance(row, list | tuple) for row in table)
    if not is_list or len({len(row) for row in table}) != 1:
        raise ParameterError(
            'The table of recode "hierarchy" is a list of rows, all of the same length: the value, then its levels.',
            parameter="table",
        )
    return [tuple(text_of(cell) for cell in row) for row in table]


def _rows_of(path: Any) -> list[tuple[str, ...]]:
    if isinstance(path, list | tuple):
        return _given_rows(path)
    if not isinstance(path, str | os.PathLike) and not hasattr(path, "columns"):
        raise ParameterError(
            f'recode "hierarchy" needs the path of a file, or a table; got {type(path).__name__}.', parameter="path"
        )
    read = as_table(path)
    cells = [["" if cell is None else text_of(cell) for cell in read.cells(name)] for name in read.names]
    return list(zip(*cells, strict=True))


def _refuse_two_parents(rows: Sequence[Sequence[str]]) -> None:
    """Raise DataError unless every entry of a level belongs to one entry of the next."""
    levels = list(zip(*rows, strict=True))[1:]
    for number, (finer, coarser) in enumerate(pairwise(levels), start=1):
        pairs = set(zip(finer, coarser, strict=True))
        several = len(pairs) - len({one for one, _ in pairs})
        if several:
            raise DataError(
                f'The table of recode "hierarchy" is none: at level {number}, {several:,} entries belong to several of '
                f"level {number + 1}. Correct it."
            )
