"""Squared errors: the squared distances of records to the mean of their group."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["sse_by_group", "total_sse"]


def total_sse(X: NDArray[np.float64], labels: NDArray[np.int64]) -> float:
    """Return the sum of squared distances of all records to the mean of their group.

    Every group is measured from its first record, so that far from zero no digit is lost in what tells records apart.
    """
    groups = labels.max() + 1
    first = np.zeros(groups, dtype=np.int64)
    first[labels[::-1]] = np.arange(len(labels))[::-1]
    return float(sse_by_group(X - X[first[labels]], labels, groups).sum())


def sse_by_group(X: NDArray[np.float64], labels: NDArray[np.int64], groups: int) -> NDArray[np.float64]:
    """Return the sum of squared distances to the mean, for every group."""
    sizes = np.maximum(np.bincount(labels, minlength=groups), 1)
    total = np.zeros(groups)
    for column in X.T:
        means = np.bincount(labels, weights=column, minlength=groups) / sizes
        total += np.bincount(labels, weights=(column - means[labels]) ** 2, minlength=groups)
    return total
