"""The two stages of TFRP."""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, kernel
from shoal.partition.kernels.remaining import take_nearest
from shoal.partition.kernels.squared_distance import squared_distance


@kernel
def make_groups_by_reference(
    X: Doubles,
    from_reference: Doubles,
    rows: Integers,
    labels: Integers,
    k: Scalar,
    group: Scalar,
    remaining: Scalar,
    pause: Scalar,
) -> tuple[Scalar, Scalar]:
    """Make groups of k around the record farthest from one reference point and from the other in turn.

    ``from_reference[t, i]`` is the squared distance of record i to reference point t. `rows` and `labels` are the
    state: the next call goes on where this one stopped, while `pause` records or more remain. Returns the number of
    groups made so far and of records that remain.
    """
    distances = np.empty(k)
    members = np.empty(k, np.int64)
    while remaining >= pause:
        turn = group % 2
        seed = rows[0]
        for i in range(1, remaining):
            if from_reference[turn, rows[i]] > from_reference[turn, seed]:
                seed = rows[i]
        remaining = take_nearest(X, rows, remaining, X[seed], k, distances, members, labels, group)
        group += 1
    return group, remaining


@kernel
def dissolve_groups(
    X: Doubles,
    labels: Integers,
    centres: Doubles,
    errors: Doubles,
    sizes: Integers,
    candidates: Integers,
    most: Scalar,
) -> None:
    """Dissolve each of the groups `candidates` in turn, if that lowers the sum of squared errors.

    Every member goes to the other group with the nearest centroid (as it was before any of them came) that has fewer
    than `most` records. `labels`, `centres`, `errors` (sum of squares) and `sizes` of the groups are changed; a group
    that is gone has size 0.
    """
    groups, d = centres.shape
    members = np.empty(most, np.int64)
    goes_to = np.empty(most, np.int64)
    centre_was = np.empty((most, d))
    errors_were = np.empty(most)
    for group in candidates:
        count = 0
        for row in range(X.shape[0]):
            if labels[row] == group:
                members[count] = row
                count += 1
        is_placed = True
        for i in range(count):
            goes_to[i] = -1
            least = np.inf
            for other in range(groups):
                if other != group and 0 < sizes[other] < most:
                    distance = squared_distance(X, members[i], centres[other])
                    if distance < least:
                        least = distance
                        goes_to[i] = other
            if goes_to[i] < 0:
                is_placed = False
                count = i
                break
            sizes[goes_to[i]] += 1
        for i in range(count):
            sizes[goes_to[i]] -= 1
        if not is_placed:
            continue
        # Let them join one after the other, and take it back if it does not pay.
        added = 0.0
        for i in range(count):
            other = goes_to[i]
            centre_was[i] = centres[other]
            errors_were[i] = errors[other]
            more = squared_distance(X, members[i], centres[other]) * sizes[other] / (sizes[other] + 1)
            added += more
            errors[other] += more
            sizes[other] += 1
            for j in range(d):
                centres[other, j] += (X[members[i], j] - centres[other, j]) / sizes[other]
        if added < errors[group]:
            for i in range(count):
                labels[members[i]] = goes_to[i]
            sizes[group] = 0
        else:
            for i in range(count - 1, -1, -1):
                sizes[goes_to[i]] -= 1
                centres[goes_to[i]] = centre_was[i]
                errors[goes_to[i]] = errors_were[i]
