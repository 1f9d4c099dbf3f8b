"""What a variable is: its kind by its type, its values numbered, the words of its name."""

from __future__ import annotations

import re

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.parameters.of_columns import KINDS, ROLES, Kind, Role
from shoal.read import Table

__all__ = [
    "KINDS",
    "ROLES",
    "Kind",
    "Role",
    "codes",
    "distinct_values",
    "has_fractions",
    "kind_of",
    "texts_of_codes",
    "word_like",
    "words_of",
]

# Types whose different values not every library can count.
_NOT_COUNTED_BY_LIBRARIES = (nw.Object, nw.Unknown, nw.List, nw.Array, nw.Struct, nw.Binary)


def kind_of(table: Table, name: str) -> Kind | None:
    """Return the kind that a column has by its type, or None for types that cannot be protected."""
    if table.is_numeric(name):
        return "continuous"
    dtype = table.type_of(name)
    if isinstance(dtype, nw.Enum):
        return "ordinal"
    if isinstance(dtype, nw.String | nw.Categorical | nw.Boolean | nw.Object):
        return "nominal"
    return None


def codes(table: Table, name: str) -> NDArray[np.int64]:
    """Number the values of a column 0, 1, 2, ... in their order, -1 for a missing value.

    The order is that of the categories for an ordered type, and the sorted order of the values otherwise.
    """
    import pandas as pd  # here, to keep start-up quick

    dtype = table.type_of(name)
    observed = ~table.missing(name)
    numbered = np.full(len(table), -1, dtype=np.int64)
    if not observed.any():
        return numbered
    if isinstance(dtype, nw.Enum):
        place = {category: position for position, category in enumerate(dtype.categories)}
        numbered[observed] = [place[cell] for cell in table.cells(name)[observed]]
        return numbered
    if table.is_integer(name):
        values = table.whole_numbers(name, np.flatnonzero(observed))
    else:
        values = (table.numbers(name) if dtype.is_float() else table.cells(name))[observed]
    try:
        numbered[observed] = pd.factorize(values, sort=True)[0]
    except TypeError:
        raise DataError(f'Column "{name}" mixes text with values of other types. Make them all text.') from None
    return numbered


def texts_of_codes(table: Table, name: str) -> dict[int, str] | None:
    """Return the text that every number given by `codes` stands for; None if not all values are texts."""
    numbered, first = np.unique(codes(table, name), return_index=True)
    cells = table.cells(name)[first[numbered >= 0]]
    if not all(isinstance(cell, str) for cell in cells):
        return None
    return dict(zip(numbered[numbered >= 0].tolist(), cells, strict=True))


def distinct_values(table: Table, name: str, missing: NDArray[np.bool_]) -> int:
    """Return how many different values a column has."""
    column = table.column(name)
    if missing.any():
        column = column[np.flatnonzero(~missing)]
    if not isinstance(table.type_of(name), _NOT_COUNTED_BY_LIBRARIES):
        return int(column.n_unique())
    cells = column.to_list()
    try:
        return len(set(cells))
    except TypeError:  # lists and the like
        return len({repr(cell) for cell in cells})


def has_fractions(table: Table, name: str) -> bool:
    """Whether a column of numbers has values that are not whole."""
    if table.is_integer(name):
        return False
    values = table.numbers(name)
    return bool(np.any(values[np.isfinite(values)] % 1 != 0))


def words_of(name: str) -> list[str]:
    """Return the words of a column's name; "PersonId" and "person_id" have the words person, id."""
    return re.findall(r"[a-z]+\d*|\d+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())


def word_like(pattern: re.Pattern[str], name: str) -> str:
    """Return the first word of a column's name that matches, or an empty string."""
    return next((word for word in words_of(name) if pattern.fullmatch(word)), "")
