"""What a variable is: its kind by its type, its values numbered, the words of its name."""

from __future__ import annotations

import re
from typing import Any

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
    "counted_values",
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
    dtype = table.type_of(name)
    if table.holds_texts(name):
        different, places = table.values_and_places(name)
        ranks = _ranks(name, different, list(dtype.categories) if isinstance(dtype, nw.Enum) else None)
        return np.append(ranks, -1)[places]
    observed = ~table.missing(name)
    numbered = np.full(len(table), -1, dtype=np.int64)
    if not observed.any():
        return numbered
    if table.is_integer(name):
        values = table.whole_numbers(name, np.flatnonzero(observed))
    else:
        values = (table.numbers(name) if dtype.is_float() else table.cells(name))[observed]
    numbered[observed] = _ranks(name, values)
    return numbered


def _ranks(name: str, values: Any, order: list[Any] | None = None) -> NDArray[np.int64]:
    """Return the place of values in an order, by default the sorted one of those that there are."""
    import pandas as pd  # here, to keep start-up quick

    if order is not None:
        place = {category: position for position, category in enumerate(order)}
        return np.array([place[value] for value in values], dtype=np.int64)
    held = values if isinstance(values, np.ndarray) else np.fromiter(values, dtype=object, count=len(values))
    try:
        return np.asarray(pd.factorize(held, sort=True)[0], dtype=np.int64)
    except TypeError:
        raise DataError(f'Column "{name}" mixes text with values of other types. Make them all text.') from None


def texts_of_codes(table: Table, name: str) -> dict[int, str] | None:
    """Return the text that every number given by `codes` stands for; None if not all values are texts."""
    numbered, first = np.unique(codes(table, name), return_index=True)
    cells = table.cells(name)[first[numbered >= 0]]
    if not all(isinstance(cell, str) for cell in cells):
        return None
    return dict(zip(numbered[numbered >= 0].tolist(), cells, strict=True))


def counted_values(table: Table, name: str) -> list[tuple[Any, int]]:
    """Return the different values of a column of texts or categories, and how many records have each."""
    values, places = table.values_and_places(name)
    times = np.bincount(places[places >= 0], minlength=len(values))
    return list(zip(values, times.tolist(), strict=True))


def distinct_values(table: Table, name: str, missing: NDArray[np.bool_]) -> int:
    """Return how many different values a column has."""
    if isinstance(table.type_of(name), nw.Categorical | nw.Enum):
        return len(table.values_and_places(name)[0])
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
