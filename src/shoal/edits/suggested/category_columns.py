"""The columns of categories that conditions can name: texts and codes of which few are different."""

from __future__ import annotations

from dataclasses import dataclass

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from shoal.describe.kinds.undecided import undecided
from shoal.describe.variables import codes, distinct_values, texts_of_codes
from shoal.edits.expressions import NumberLiteral, TextLiteral
from shoal.edits.suggested.number_columns import NumberColumns, can_be_named

__all__ = ["CategoryColumn", "category_columns"]

_MOST = 30  # categories


@dataclass(frozen=True, eq=False)
class CategoryColumn:
    """A column of categories: the number of the category of every record, -1 for none, and the categories."""

    name: str
    numbered: NDArray[np.int64]
    categories: tuple[NumberLiteral | TextLiteral, ...]


def category_columns(columns: NumberColumns) -> list[CategoryColumn]:
    """Return the columns of two to thirty categories, in file order; numbers that seem to be codes are among them."""
    table = columns.records.table
    found = [
        _of_codes(columns, name) if name in columns.codes else _of_texts(columns, name)
        for name in table.names
        if can_be_named(name) and (name in columns.codes or not columns.records.is_numeric(name))
    ]
    return [one for one in found if one is not None and 2 <= len(one.categories) <= _MOST]


def _of_codes(columns: NumberColumns, name: str) -> CategoryColumn:
    values = columns.values[name]
    different = np.unique(values[~np.isnan(values)])
    numbered = np.where(np.isnan(values), -1, np.searchsorted(different, values))
    return CategoryColumn(name, numbered, tuple(NumberLiteral(one) for one in different.tolist()))


def _of_texts(columns: NumberColumns, name: str) -> CategoryColumn | None:
    table = columns.records.table
    if not isinstance(table.type_of(name), nw.String | nw.Categorical | nw.Enum):
        return None
    if distinct_values(table, name, table.missing(name)) > _MOST or undecided(table, name):
        return None
    numbered, texts = codes(table, name), texts_of_codes(table, name)
    if texts is None or not all(map(str.isprintable, texts.values())):
        return None
    places = np.full(max(texts, default=-1) + 2, -1, dtype=np.int64)  # the last one is for missing values
    places[list(texts)] = np.arange(len(texts))
    return CategoryColumn(name, places[numbered], tuple(TextLiteral(text) for text in texts.values()))
