"""Kernels of the algorithm of Hansen and Mukherjee: where to cut a path through the records."""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, kernel


@kernel
def extend_best_cuts(
    path: Doubles, k: Scalar, least: Doubles, group_size: Integers, start: Scalar, stop: Scalar
) -> None:
    """Fill in the best last group of the first `start` + 1 to `stop` records of a path.

    ``least[j]`` is the least sum of squared errors of the first j records in groups of k to 2k-1 neighbours
    (infinite if they cannot be cut so) and ``group_size[j]`` the size of the last of these groups; of equally good
    ones the largest. ``least[0]`` is zero.

    The squared errors of a group are updated as it grows backwards from its last record, by the distance of the new
    record to the mean so far. Differences of running totals would take as long and lose every digit of the groups
    of a long file. All is measured from the last record, so that values far from zero, which leave few digits for
    the mean, keep theirs for what tells them apart.
    """
    d = path.shape[1]
    mean = np.empty(d)  # less the last record
    for j in range(start + 1, stop + 1):
        least[j] = np.inf
        group_size[j] = 0
        errors = 0.0
        mean[:] = 0.0
        for size in range(1, min(j, 2 * k - 1) + 1):
            share = 1.0 / size
            for column in range(d):
                value = path[j - size, column] - path[j - 1, column]
                difference = value - mean[column]
                mean[column] += difference * share
                errors += difference * (value - mean[column])
            if size >= k and least[j - size] < np.inf and least[j - size] + errors <= least[j]:
                least[j] = least[j - size] + errors
                group_size[j] = size


@kernel
def label_along_path(group_size: Integers, order: Integers, labels: Integers) -> None:
    """Number the groups along the path and write the label of every record; `order` gives the records in it."""
    groups = 0
    j = order.shape[0]
    while j > 0:
        j -= group_size[j]
        groups += 1
    j = order.shape[0]
    while j > 0:
        groups -= 1
        for i in range(j - group_size[j], j):
            labels[order[i]] = groups
        j -= group_size[j]
