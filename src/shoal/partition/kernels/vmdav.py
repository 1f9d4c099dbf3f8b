"""The loop of V-MDAV."""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, inner_kernel, kernel
from shoal.partition.kernels.remaining import farthest_of_remaining, take_nearest
from shoal.partition.kernels.squared_distance import squared_distance


@inner_kernel
def _come_closer(X: Doubles, rows: Integers, count: Scalar, row: Scalar, closeness: Doubles) -> None:
    """Note for the records that remain how near (squared) they are to a group that `row` has joined."""
    for i in range(count):
        closeness[rows[i]] = min(closeness[rows[i]], squared_distance(X, rows[i], X[row]))


@inner_kernel
def _nearest_other(X: Doubles, rows: Integers, count: Scalar, row: Scalar) -> Scalar:
    """Return how near (squared) the nearest other of the records that remain is; infinite if there is none."""
    least = np.inf
    for i in range(count):
        if rows[i] != row:
            least = min(least, squared_distance(X, rows[i], X[row]))
    return least


@inner_kernel
def _extend(
    X: Doubles, rows: Integers, count: Scalar, labels: Integers, closeness: Doubles, group: Scalar, room: Scalar,
    gamma: Scalar,
) -> Scalar:  # fmt: skip
    """Let at most `room` of the records that remain join the group; return how many remain."""
    while room > 0 and count > 1:
        place = 0
        for i in range(1, count):
            if closeness[rows[i]] < closeness[rows[place]]:
                place = i
        row = rows[place]
        if not closeness[row] < gamma * gamma * _nearest_other(X, rows, count, row):
            break
        labels[row] = group
        for i in range(place + 1, count):
            rows[i - 1] = rows[i]
        count -= 1
        room -= 1
        _come_closer(X, rows, count, row, closeness)
    return count


@kernel
def make_variable_groups(
    X: Doubles,
    centre: Doubles,
    rows: Integers,
    labels: Integers,
    k: Scalar,
    gamma: Scalar,
    group: Scalar,
    remaining: Scalar,
    pause: Scalar,
) -> tuple[Scalar, Scalar]:
    """Make groups of k to 2k-1 around the record farthest from `centre` while `pause` records or more remain.

    `rows` and `labels` are the state: the next call goes on where this one stopped. Returns the number of groups
    made so far and of records that remain.
    """
    distances = np.empty(k)
    members = np.empty(k, np.int64)
    closeness = np.empty(X.shape[0])
    while remaining >= pause:
        seed, _ = farthest_of_remaining(X, rows, remaining, centre)
        remaining = take_nearest(X, rows, remaining, X[seed], k, distances, members, labels, group)
        if gamma > 0.0:
            closeness[:] = np.inf
            for row in members:
                _come_closer(X, rows, remaining, row, closeness)
            remaining = _extend(X, rows, remaining, labels, closeness, group, k - 1, gamma)
        group += 1
    return group, remaining
