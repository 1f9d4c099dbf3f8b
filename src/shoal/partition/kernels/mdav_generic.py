"""Distances between records with missing values and nominal columns.

A nominal column stands for the indicators of its categories. Between two records that is 0, or 1 twice; to a centroid,
which has shares of the categories, it is the sum of the squares over the indicators, from left to right. Categories
that neither of the two has add nothing, and are left out.
"""

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
    """Write the distances of the records ``rows[start:stop]`` to a record, or a point like one, to ``out[start:stop]``.

    Codes that differ add 1, and where numbers add squares twice 1.
    """
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
                total += is_squared and difference != 0.0
            elif is_squared:
                total += difference * difference
            else:
                total += abs(difference)
        out[i] = total * (d / common) if common > 0 else np.inf


@kernel
def distances_to_shares(
    X: Doubles,
    rows: Integers,
    means: Doubles,
    starts: Integers,
    codes: Doubles,
    shares: Doubles,
    out: Doubles,
) -> None:
    """Write the squared distances of some records to a centroid to `out`.

    Column j is nominal if ``starts[j] >= 0``; its categories with a share, in increasing order, are in `codes` and
    `shares` from there on, up to a code that is infinite. `means` is NaN where nothing is observed, codes included.
    """
    d = means.shape[0]
    for i in range(rows.shape[0]):
        total = 0.0
        common = 0
        for j in range(d):
            x = X[rows[i], j]
            if np.isnan(x) or np.isnan(means[j]):
                continue
            common += 1
            if starts[j] < 0:
                difference = x - means[j]
                total += difference * difference
                continue
            t = starts[j]
            while codes[t] < x:
                total += shares[t] * shares[t]
                t += 1
            if codes[t] == x:
                total += (1.0 - shares[t]) * (1.0 - shares[t])
                t += 1
            else:
                total += 1.0
            while codes[t] < np.inf:
                total += shares[t] * shares[t]
                t += 1
        out[i] = total * (d / common) if common > 0 else np.inf


@kernel
def screened_distances(
    X: Doubles,
    rows: Integers,
    means: Doubles,
    starts: Integers,
    added: Doubles,
    start: Scalar,
    stop: Scalar,
    out: Doubles,
) -> None:
    """Write the squared distances of ``rows[start:stop]`` to a centroid, nearly, to ``out[start:stop]``.

    ``added[starts[j] + code]`` is what the code of a nominal column adds: its squares over all indicators at once.
    """
    d = means.shape[0]
    for i in range(start, stop):
        total = 0.0
        common = 0
        for j in range(d):
            x = X[rows[i], j]
            if np.isnan(x) or np.isnan(means[j]):
                continue
            common += 1
            if starts[j] < 0:
                difference = x - means[j]
                total += difference * difference
            else:
                total += added[starts[j] + np.int64(x)]
        out[i] = total * (d / common) if common > 0 else np.inf
