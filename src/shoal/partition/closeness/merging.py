"""Groups merged until each is close to the file."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.partition.closeness.distributions import Distributions
from shoal.partition.geometry.centroids import centroids_of

__all__ = ["merged_until_close"]

Whole64 = NDArray[np.int64]


def merged_until_close(X: NDArray[np.float64], labels: Whole64, distributions: Distributions, t: float) -> Whole64:
    """Return groups of which none is farther than `t` from the file: the farthest is merged with the nearest to it.

    A group that has nothing to merge with stays as far as it is. The groups that are left keep their order.

    Parameters
    ----------
    X
        Records as points, none of them with a missing value.
    labels
        The group of every record, 0 to g-1.
    distributions, t
        The confidential variables of these records, and how far a group may be from the file.
    """
    from shoal.partition.kernels.closeness import largest_distance, nearest_centre  # numba takes a second to import

    sizes = np.bincount(labels)
    groups = len(sizes)
    order = np.argsort(labels, kind="stable")
    rows = np.split(order, np.cumsum(sizes)[:-1])
    values = [distributions.within(own) for own in rows]
    distances = np.array([largest_distance(own, *distributions.file) for own in values])
    centres = centroids_of(X, labels)
    leader, is_open = np.arange(groups), np.ones(groups, dtype=np.bool_)
    while True:
        group = int(distances.argmax())
        if distances[group] <= t:
            break
        other = int(nearest_centre(centres, is_open, group))
        if other < 0:
            distances[group] = -1.0  # nothing is left to merge with
            continue
        kept, gone = min(group, other), max(group, other)
        values[kept] = np.sort(np.concatenate([values[kept], values[gone]], axis=1), axis=1, kind="stable")
        both = sizes[kept] + sizes[gone]
        centres[kept] = (sizes[kept] * centres[kept] + sizes[gone] * centres[gone]) / both
        sizes[kept] = both
        is_open[gone], distances[gone], leader[gone] = False, -1.0, kept
        values[gone] = values[gone][:, :0]
        distances[kept] = largest_distance(values[kept], *distributions.file)
    for group in range(groups):  # each was merged into one with a smaller number, whose own leader is known
        leader[group] = leader[leader[group]]
    return np.unique(leader[labels], return_inverse=True)[1].reshape(-1).astype(np.int64)
