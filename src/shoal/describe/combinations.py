"""Which records have the same combination of values, in columns of any type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from shoal.describe.variables import codes
from shoal.read import Table

__all__ = [
    "LARGEST",
    "combinations_of",
    "common_numbers",
    "joined_codes",
    "numbered",
    "numbers_of_values",
    "packed_rows",
    "records_alike",
    "same_combinations",
    "unique_records",
    "values_of",
]

Whole64 = NDArray[np.int64]

LARGEST = 2**62  # that a number of rows may become


def combinations_of(table: Table, columns: Sequence[str]) -> Whole64:
    """Number the combinations of values of `columns` 0, 1, 2, ... in their order; a missing value counts as a value.

    Records get the same number if and only if they are alike in all of `columns`.
    """
    combined = np.zeros(len(table), dtype=np.int64)
    for name in columns:
        own = codes(table, name) + 1
        combined = np.unique(combined * (own.max(initial=0) + 1) + own, return_inverse=True)[1].reshape(-1)
    return combined.astype(np.int64)


def same_combinations(table: Table, columns: Sequence[str]) -> Whole64:
    """Number the combinations of values of `columns` as they come; a missing value counts as a value.

    Records get the same number if and only if they are alike in all of `columns`, which may be of any type. It is
    quicker than `combinations_of`, which numbers them in their order.
    """
    return joined_codes([numbers_of_values(table, name) for name in columns], len(table))


def joined_codes(columns: Sequence[Whole64], records: int) -> Whole64:
    """Number the rows of columns of codes, of which -1 is one too, as they come."""
    import pandas as pd  # here, to keep start-up quick

    return pd.factorize(packed_rows(columns, records)[0])[0].astype(np.int64)


def packed_rows(columns: Sequence[Whole64], records: int) -> tuple[Whole64, int]:
    """Return a number for every row of columns of codes, the same for the same rows, and what all are below."""
    import pandas as pd  # here, to keep start-up quick

    joined, many = np.zeros(records, dtype=np.int64), 1
    for own in columns:  # one number a row; numbered anew before it grows too large
        width = int(own.max(initial=-1)) + 2
        if many * width >= LARGEST:
            joined = pd.factorize(joined)[0].astype(np.int64)
            many = int(joined.max(initial=0)) + 1
        joined, many = joined * width + own + 1, many * width
    return joined, many


def records_alike(table: Table, columns: Sequence[str]) -> Whole64:
    """Return for every record how many have the same values in all of `columns`, itself among them."""
    combinations = same_combinations(table, columns)
    return np.bincount(combinations)[combinations]


def unique_records(table: Table, columns: Sequence[str]) -> int:
    """Return how many records no other is like in all of `columns`; a missing value counts as a value."""
    return int((np.bincount(same_combinations(table, columns)) == 1).sum())


def values_of(table: Table, name: str) -> NDArray[Any]:
    """Return the values of a column of any type so that they can be compared, NaN or None for a missing value.

    Numbers and times are not made Python objects, which takes long.
    """
    dtype = table.type_of(name)
    missing = table.missing(name)
    if table.is_integer(name) and not isinstance(dtype, nw.Int128 | nw.UInt128) and not missing.any():
        return np.asarray(table.column(name).to_numpy())  # as floats, numbers beyond 2**53 would be alike
    if dtype.is_float():
        return table.numbers(name) + 0.0  # no minus zero
    if isinstance(dtype, nw.Datetime | nw.Duration):
        times = np.asarray(table.column(name).to_numpy())
        if times.dtype.kind in "mM":
            return times
    return table.cells(name)


def numbers_of_values(table: Table, name: str) -> Whole64:
    """Number the values of a column of any type 0, 1, 2, ... as they come, -1 for a missing value."""
    return table.values_and_places(name)[1] if table.holds_texts(name) else numbered(values_of(table, name))


def common_numbers(first: Table, second: Table, name: str) -> tuple[Whole64, Whole64]:
    """Number the values of a column of two tables as they come, equal values having equal numbers; -1 for none."""
    if first.holds_texts(name) and second.holds_texts(name):
        (values, places), (others, other_places) = (table.values_and_places(name) for table in (first, second))
        known = {value: number for number, value in enumerate(values)}
        numbers = [known.setdefault(value, len(known)) for value in others]
        return places, np.array([*numbers, -1], dtype=np.int64)[other_places]
    both = numbered(np.concatenate([table.cells(name) for table in (first, second)]))
    return both[: len(first)], both[len(first) :]


def numbered(values: NDArray[Any]) -> Whole64:
    """Number values of any type 0, 1, 2, ... as they come, -1 for a missing value."""
    import pandas as pd  # here, to keep start-up quick

    try:
        return np.asarray(pd.factorize(values)[0], dtype=np.int64)
    except TypeError:  # lists and the like
        texts = np.array([None if cell is None else repr(_plain(cell)) for cell in values], dtype=object)
        return np.asarray(pd.factorize(texts)[0], dtype=np.int64)


def _plain(cell: Any) -> Any:
    """Return a cell without arrays, whose texts leave out what is in the middle."""
    if isinstance(cell, np.ndarray | list | tuple):
        return [_plain(one) for one in cell]
    if isinstance(cell, Mapping):
        return [(_plain(key), _plain(one)) for key, one in cell.items()]
    return cell
