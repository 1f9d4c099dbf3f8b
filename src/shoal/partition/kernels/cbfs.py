"""The loop of CBFS."""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, kernel
from shoal.partition.kernels.exact_sum import add_rows, rounded_total
from shoal.partition.kernels.remaining import farthest_of_remaining, take_nearest


@kernel
def make_groups_by_centroid(
    X: Doubles,
    totals: Doubles,
    rows: Integers,
    labels: Integers,
    k: Scalar,
    group: Scalar,
    remaining: Scalar,
    pause: Scalar,
) -> tuple[Scalar, Scalar]:
    """Make groups of k around the record farthest from the centroid until fewer than `pause` records remain.

    `totals` (of the columns of what remains), `rows` and `labels` are the state: the next call goes on where this
    one stopped. Returns the number of groups made so far and of records that remain.
    """
    point = np.empty(X.shape[1])
    distances = np.empty(k)
    members = np.empty(k, np.int64)
    while remaining >= pause:
        for j in range(point.shape[0]):
            point[j] = rounded_total(totals[j]) / remaining
        seed, _ = farthest_of_remaining(X, rows, remaining, point)
        remaining = take_nearest(X, rows, remaining, X[seed], k, distances, members, labels, group)
        add_rows(totals, X, members, -1.0)
        group += 1
    return group, remaining
