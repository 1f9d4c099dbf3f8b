"""The best partition of a tiny file, found by trying all of them."""

from __future__ import annotations

import numpy as np


def least_sse(X: np.ndarray, k: int) -> float:
    """Return the smallest SSE of all partitions of the rows of X into groups of at least k."""
    n = len(X)
    losses = np.full(1 << n, np.inf)
    for group in range(1, 1 << n):
        members = [i for i in range(n) if group >> i & 1]
        if len(members) >= k:
            losses[group] = ((X[members] - X[members].mean(axis=0)) ** 2).sum()
    best = np.full(1 << n, np.inf)
    best[0] = 0.0
    for records in range(1, 1 << n):
        first = records & -records  # the group of the first record is one of the subsets with it
        rest = records ^ first
        others = rest
        while True:
            best[records] = min(best[records], losses[first | others] + best[rest ^ others])
            if others == 0:
                break
            others = (others - 1) & rest
    return float(best[-1])


def tiny_matrix(seed: int, n: int, d: int, kind: str) -> np.ndarray:
    """Return n records: spread out, on a grid (ties and duplicates), with constant columns, or with an outlier."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    if kind == "grid":
        X = rng.integers(0, 3, size=(n, d)).astype(float)
    elif kind == "constant columns":
        X[:, ::2] = 7.0
    elif kind == "outlier":
        X[0] *= 1e4
    return X


KINDS = ("spread", "grid", "constant columns", "outlier")
