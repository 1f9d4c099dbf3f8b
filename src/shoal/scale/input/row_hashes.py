"""Hashes of values and of whole rows: what is alike gets the same number, on every worker and in every chunk."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["hashed_numbers", "hashed_rows", "hashed_values", "joined_hashes"]

# pandas and pyarrow are imported inside functions, to keep start-up quick.

Hashes = NDArray[np.uint64]

_MISSING = np.uint64(0x9E3779B97F4A7C15)
_STEP = 0x9E3779B97F4A7C15


def hashed_numbers(numbers: NDArray[Any], salt: int = 0) -> Hashes:
    """Return a hash of whole numbers: the finaliser of SplitMix64, which mixes every bit with every other."""
    mixed = numbers.astype(np.uint64) + np.uint64(_STEP * (2 * salt + 1) % 2**64)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)), dtype=np.uint64)


def hashed_values(column: Any) -> Hashes:
    """Return a hash of every value of an Arrow column; a missing value has one too.

    Numbers are alike if they are equal, whichever type of their sort they are stored in.
    """
    import pandas as pd
    import pyarrow

    types, kind = pyarrow.types, column.type
    if types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    missing = np.asarray(column.is_null(nan_is_null=types.is_floating(kind)))
    if types.is_floating(kind):
        values = column.fill_null(0).to_numpy().astype(np.float64) + 0.0  # no minus zero
        hashes = hashed_numbers(values.view(np.uint64))
    elif types.is_integer(kind) or types.is_boolean(kind):
        values = column.cast(pyarrow.int8() if types.is_boolean(kind) else kind).fill_null(0).to_numpy()
        hashes = hashed_numbers(values.astype(np.int64).view(np.uint64) if kind != pyarrow.uint64() else values)
    else:
        texts = column.cast(pyarrow.string()).to_numpy(zero_copy_only=False) if not types.is_binary(kind) else None
        cells = np.asarray(column.to_pylist(), dtype=object) if texts is None else texts
        hashes = pd.util.hash_array(np.asarray(cells, dtype=object), categorize=True).astype(np.uint64)
    return np.where(missing, _MISSING, hashes)


def hashed_rows(columns: Iterable[Any], rows: int) -> tuple[Hashes, Hashes]:
    """Return two independent hashes of every row of some Arrow columns: together they tell rows apart."""
    return joined_hashes((hashed_values(column) for column in columns), rows)


def joined_hashes(columns: Iterable[Hashes], rows: int) -> tuple[Hashes, Hashes]:
    """Return two independent hashes of every row of columns whose values are hashed already."""
    both = [np.zeros(rows, dtype=np.uint64), np.zeros(rows, dtype=np.uint64)]
    for place, own in enumerate(columns):
        for salt, joined in enumerate(both):
            both[salt] = hashed_numbers(joined * np.uint64(0x100000001B3) ^ hashed_numbers(own, 2 * place + salt + 1))
    return both[0], both[1]
