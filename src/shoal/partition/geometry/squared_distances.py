"""The squared distance of every record to a point, to the last bit as the kernels compute it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


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


def centroid(records: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of every column, from the correctly rounded total."""
    return np.array([math.fsum(column.tolist()) / len(records) for column in records.T])


def centroids_of(X: NDArray[np.float64], labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the mean of the records of every group, one row per label, 0 to g-1."""
    sizes = np.bincount(labels)
    return np.column_stack([np.bincount(labels, weights=column) / sizes for column in X.T])


# Exponents between which squares of differences can be summed over thousands of columns and millions of records.
_LARGEST = 400
_SMALLEST = -400


def safely_scaled(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `X`, multiplied by a power of two if its largest value is beyond 1e120 or below 1e-120.

    No digit changes (but values 1e180 times smaller than the largest may become zero), so neither does what is
    nearest or farthest. The result is read-only, like `X`.
    """
    largest = float(np.fmax.reduce(np.abs(X), axis=None, initial=0.0))  # missing values aside
    if largest == 0.0:
        return X
    exponent = int(np.frexp(largest)[1])
    if _SMALLEST <= exponent <= _LARGEST:
        return X
    scaled: NDArray[np.float64] = np.ldexp(X, -exponent)
    scaled.flags.writeable = False
    return scaled


def scaled_for_squares(X: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Return `X` divided by a power of two, read-only, and that power: 1 unless squares could over- or underflow."""
    records = X.view()
    records.flags.writeable = False
    scaled = safely_scaled(records)
    largest = float(np.abs(scaled).max(initial=0.0))
    return scaled, float(np.abs(records).max()) / largest if largest > 0 else 1.0


def squared_distances(records: NDArray[np.float64], point: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the squared distance of every record to a point, summed over the columns from left to right."""
    total = np.zeros(len(records))
    with np.errstate(over="ignore", under="ignore"):  # as in the kernels
        for column, value in zip(records.T, point.tolist(), strict=True):
            difference = column - value
            difference *= difference
            total += difference
    return total
