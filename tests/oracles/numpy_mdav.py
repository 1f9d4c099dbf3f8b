"""The loop of classic MDAV with NumPy: brute force again, fast enough for some thousand records."""

from __future__ import annotations

import math

import numpy as np


def numpy_mdav(X, k) -> np.ndarray:
    """Return the labels of MDAV for a number of records that 2k divides, where the variants agree."""
    assert len(X) % (2 * k) == 0
    labels = np.full(len(X), -1)
    left = np.arange(len(X))
    group = 0

    def distances(point) -> np.ndarray:
        total = np.zeros(len(left))
        for j in range(X.shape[1]):
            total += (X[left, j] - point[j]) ** 2
        return total

    while len(left):
        r = left[np.argmax(distances([math.fsum(column) / len(left) for column in X[left].T]))]
        s = left[np.argmax(distances(X[r]))]
        for seed in (r, s):
            nearest = np.lexsort((left, distances(X[seed])))[:k]
            labels[left[nearest]] = group
            left = np.delete(left, nearest)
            group += 1
    return labels
