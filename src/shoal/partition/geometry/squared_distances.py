"""The squared distance of every record to a point, to the last bit as the kernels compute it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["squared_distances"]


def squared_distances(records: NDArray[np.float64], point: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the squared distance of every record to a point, summed over the columns from left to right."""
    total = np.zeros(len(records))
    with np.errstate(over="ignore", under="ignore"):  # as in the kernels
        for column, value in zip(records.T, point.tolist(), strict=True):
            difference = column - value
            difference *= difference
            total += difference
    return total
