"""The distinct rows of a table of whole numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["DistinctRows", "distinct_rows"]


class DistinctRows(NamedTuple):
    """The distinct rows of a table.

    Attributes
    ----------
    labels
        Which of the distinct rows each row of the table is; they are numbered in increasing order.
    counts
        How often each distinct row occurs.
    examples
        The number of a row of the table for each distinct row.
    """

    labels: NDArray[np.int64]
    counts: NDArray[np.int64]
    examples: NDArray[np.int64]


def distinct_rows(table: NDArray[np.int64]) -> DistinctRows:
    """Return the distinct rows of a table of whole numbers, 0 or more and below some billions."""
    labels = np.zeros(len(table), dtype=np.int64)
    for column in table.T:
        # Sorting one number a row is many times faster than sorting rows.
        labels = np.unique(labels * (int(column.max()) + 1) + column, return_inverse=True)[1]
    counts = np.bincount(labels)
    examples = np.empty(len(counts), dtype=np.int64)
    examples[labels] = np.arange(len(table))
    return DistinctRows(labels, counts, examples)
