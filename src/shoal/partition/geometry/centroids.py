"""The centroid of every group."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["centroids_of"]


def centroids_of(X: NDArray[np.float64], labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the mean of the records of every group, one row per label, 0 to g-1."""
    sizes = np.bincount(labels)
    return np.column_stack([np.bincount(labels, weights=column) / sizes for column in X.T])
