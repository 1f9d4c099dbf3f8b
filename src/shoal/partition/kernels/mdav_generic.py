"""Distances between records with missing values and nominal columns."""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Booleans, Doubles, Integers, Scalar, kernel


@kernel
def mixed_distances(
    X: Doubles,
    rows: Integers,
    point: Doubles,
    is_nominal: Booleans,
    is_squared: Scalar,
    start: Scalar,
    stop: Scalar,
    out: Doubles,
) -> None:
    """Write the distances of the records ``rows[start:stop]`` to a point to ``out[start:stop]``."""
    d = point.shape[0]
    for i in range(start, stop):
        total = 0.0
        common = 0
        for j in range(d):
            difference = X[rows[i], j] - point[j]
            if np.isnan(difference):
                continue
            common += 1
            if is_nominal[j]:
                total += difference != 0.0
            elif is_squared:
                total += difference * difference
            else:
                total += abs(difference)
        out[i] = total * (d / common) if common > 0 else np.inf
