"""Kernels that look through the records that remain: what is farthest from a point, what is nearest to it.

The records that remain are the first `count` places of `rows`, in ascending order: so the first of several equally
far has the lowest row number. Nothing but O(n) memory is used; every look costs O(count d).
"""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, inner_kernel
from shoal.partition.kernels.squared_distance import squared_distance


@inner_kernel
def farthest_of_remaining(X: Doubles, rows: Integers, count: Scalar, point: Doubles) -> tuple[Scalar, Scalar]:
    """Return the record farthest from a point, and how far (squared) it is."""
    best = -1.0
    row = -1
    for i in range(count):
        distance = squared_distance(X, rows[i], point)
        if distance > best:
            best = distance
            row = rows[i]
    return row, best


@inner_kernel
def _is_before(distance_a: Scalar, row_a: Scalar, distance_b: Scalar, row_b: Scalar) -> Scalar:
    return distance_a < distance_b or (distance_a == distance_b and row_a < row_b)


@inner_kernel
def _sink(distances: Doubles, members: Integers, size: Scalar, distance: Scalar, row: Scalar) -> None:
    """Put a record in place of the last (the farthest) of a heap."""
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and _is_before(distances[child], members[child], distances[child + 1], members[child + 1]):
            child += 1
        if not _is_before(distance, row, distances[child], members[child]):
            break
        distances[i] = distances[child]
        members[i] = members[child]
        i = child
    distances[i] = distance
    members[i] = row


@inner_kernel
def take_nearest(
    X: Doubles,
    rows: Integers,
    count: Scalar,
    point: Doubles,
    k: Scalar,
    distances: Doubles,
    members: Integers,
    labels: Integers,
    group: Scalar,
) -> Scalar:
    """Give the k records nearest to a point the label `group` and take them out of those that remain.

    They are in the first k places of `members` afterwards, in no order. `distances` is room for k numbers. Returns
    how many records remain.
    """
    for i in range(k):
        distances[i] = np.inf  # farther than any record
        members[i] = -1
    for i in range(count):
        distance = squared_distance(X, rows[i], point)
        # A record that comes later and is equally far does not displace one.
        if distance < distances[0]:
            _sink(distances, members, k, distance, rows[i])
    for i in range(k):
        labels[members[i]] = group
    kept = 0
    for i in range(count):
        if labels[rows[i]] < 0:
            rows[kept] = rows[i]
            kept += 1
    return kept
