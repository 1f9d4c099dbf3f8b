"""The centroid of some records, and of every group."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["centroid", "centroids_of"]


def centroid(records: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of every column, from the correctly rounded total."""
    return np.array([math.fsum(column.tolist()) / len(records) for column in records.T])


def centroids_of(X: NDArray[np.float64], labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the mean of the records of every group, one row per label, 0 to g-1."""
    sizes = np.bincount(labels)
    return np.column_stack([np.bincount(labels, weights=column) / sizes for column in X.T])
