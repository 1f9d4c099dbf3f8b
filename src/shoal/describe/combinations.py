"""Which records have the same combination of values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.describe.variables import codes
from shoal.read import Table

__all__ = ["combinations_of", "records_alike"]


def combinations_of(table: Table, columns: Sequence[str]) -> NDArray[np.int64]:
    """Number the combinations of values of `columns` 0, 1, 2, ... in their order; a missing value counts as a value.

    Records get the same number if and only if they are alike in all of `columns`.
    """
    combined = np.zeros(len(table), dtype=np.int64)
    for name in columns:
        own = codes(table, name) + 1
        combined = np.unique(combined * (own.max(initial=0) + 1) + own, return_inverse=True)[1].reshape(-1)
    return combined.astype(np.int64)


def records_alike(table: Table, columns: Sequence[str]) -> NDArray[np.int64]:
    """Return for every record how many have the same values in all of `columns`, itself among them."""
    combinations = combinations_of(table, columns)
    return np.bincount(combinations)[combinations]
