"""The sum of squared errors, on the scale that the thesis uses."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = ["squared_error", "standard_scores"]


def standard_scores(table: pd.DataFrame) -> NDArray[np.float64]:
    """Return the columns minus their means, divided by their standard deviations with n - 1."""
    X = table.to_numpy(dtype=float)
    return np.ascontiguousarray((X - X.mean(axis=0)) / X.std(axis=0, ddof=1))


def squared_error(X: NDArray[np.float64], labels: NDArray[np.integer]) -> float:
    """Return the sum of squared distances of records to the means of their groups."""
    sizes = np.bincount(labels)[:, None]
    sums = np.stack([np.bincount(labels, weights=column) for column in X.T], axis=1)
    return float(np.square(X - (sums / sizes)[labels]).sum())
