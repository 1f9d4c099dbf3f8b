"""The squared distance of a record to a point, as every kernel that compares records computes it."""

from __future__ import annotations

from shoal.partition.kernels.compiled import Doubles, Scalar, inner_kernel


@inner_kernel
def squared_distance(X: Doubles, row: Scalar, point: Doubles) -> Scalar:
    """Return the squared distance of a record to a point, summed over the columns from left to right."""
    total = 0.0
    for j in range(point.shape[0]):
        difference = X[row, j] - point[j]
        total += difference * difference
    return total
