"""The loop of MD: the two mutually most distant of the records that remain, without looking at every pair."""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, inner_kernel, kernel
from shoal.partition.kernels.remaining import farthest_of_remaining, take_nearest
from shoal.partition.kernels.squared_distance import squared_distance

# The sum of two distances to a third point can come out this much too small by rounding (thousands of columns).
_SLACK = 1.0 + 1e-11


@inner_kernel
def _is_gone(row: Scalar, labels: Integers) -> Scalar:
    return row < 0 or labels[row] >= 0


@inner_kernel
def _two_most_distant(
    X: Doubles,
    rows: Integers,
    count: Scalar,
    labels: Integers,
    reach: Doubles,
    partner: Integers,
    radius: Doubles,
    point: Doubles,
) -> tuple[Scalar, Scalar]:
    """Return the two records farthest from each other; of equal pairs the one with the lowest rows.

    ``reach[i]`` is how far (squared) record i was from the farthest of what remained when that was last looked up,
    and ``partner[i]`` that record: while the partner remains this is exact, afterwards it is an upper bound,
    because records only go. Another bound is the triangle over the centroid: ``radius[i]`` plus the largest radius.
    """
    for j in range(point.shape[0]):
        total = 0.0
        for i in range(count):
            total += X[rows[i], j]
        point[j] = total / count
    largest = 0.0
    for i in range(count):
        radius[rows[i]] = np.sqrt(squared_distance(X, rows[i], point))
        largest = max(largest, radius[rows[i]])
    for i in range(count):
        row = rows[i]
        if _is_gone(partner[row], labels):
            bound = (radius[row] + largest) * (radius[row] + largest) * _SLACK
            reach[row] = min(reach[row], bound)
    while True:
        # The record that promises most, of equals the lowest. If what it promises is true, no pair is farther apart.
        row = rows[0]
        for i in range(1, count):
            if reach[rows[i]] > reach[row]:
                row = rows[i]
        if not _is_gone(partner[row], labels):
            return row, partner[row]
        partner[row], reach[row] = farthest_of_remaining(X, rows, count, X[row])


@kernel
def make_groups_of_most_distant(
    X: Doubles,
    rows: Integers,
    labels: Integers,
    reach: Doubles,
    partner: Integers,
    k: Scalar,
    group: Scalar,
    remaining: Scalar,
    pause: Scalar,
) -> tuple[Scalar, Scalar]:
    """Make groups of k around the two most distant records, two at a time, while `pause` records or more remain.

    `rows`, `labels`, `reach` (infinite at first) and `partner` (-1 at first) are the state: the next call goes on
    where this one stopped. Returns the number of groups made so far and of records that remain.
    """
    point = np.empty(X.shape[1])
    radius = np.empty(X.shape[0])
    distances = np.empty(k)
    members = np.empty(k, np.int64)
    while remaining >= pause:
        for seed in _two_most_distant(X, rows, remaining, labels, reach, partner, radius, point):
            remaining = take_nearest(X, rows, remaining, X[seed], k, distances, members, labels, group)
            group += 1
    return group, remaining
