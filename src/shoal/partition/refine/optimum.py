"""Whether a partition is one that no other can be better than."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.partition.kernels.refine_groups import Groups

__all__ = ["Optimum"]

_CLOSE = 1e-6  # to the lower bound, relative: more than rounding takes from it


class Optimum:
    """Tells whether no partition can be better than the present one, in the two cases where that is plain to see.

    The loss of a group of s records is the sum of the squared distances of its pairs, divided by s: at least that of
    every record's k-1 nearest, divided by 2k, and as much only if these are the group, or if all its distances are 0.
    The distances are compared one by one: none is beyond the (k-1)th smallest, and as many are below it as there are
    such records. The total loss would not do: rounding, or one far record, hides the others.

    Parameters
    ----------
    X
        The records.
    neighbours
        The nearest other records of every record, nearest first.
    k
        The least number of records in a group.
    bound
        A lower bound on the loss of all partitions.
    """

    def __init__(self, X: NDArray[np.float64], neighbours: NDArray[np.int32], k: int, bound: float) -> None:
        self._X = X
        self._k = k
        nearest = neighbours[:, : k - 1]
        self._reach = _squared_distances_to(X, nearest[:, -1])
        self._nearer = np.zeros(len(X), dtype=np.int64)  # how many records are nearer than that
        for others in nearest.T:
            self._nearer += _squared_distances_to(X, others) < self._reach
        # The mean of identical records may be off in its last digits, more so of many.
        rounding = X.size * (2 * k * np.finfo(float).eps * np.abs(X).max()) ** 2
        self._close = bound * (1 + _CLOSE) + rounding

    def is_reached(self, groups: Groups) -> bool:
        """Whether every record is with its k-1 nearest and no other, or with identical ones alone."""
        if groups.sse.sum() > self._close:
            return False
        sizes = groups.sizes[groups.labels]
        reach = np.where(sizes == self._k, self._reach, 0.0)
        nearer = np.where(sizes == self._k, self._nearer, 0)
        for position, members in enumerate(groups.members.T):
            others = members[groups.labels]
            distances = _squared_distances_to(self._X, others)
            if np.any((distances > reach) & (position < sizes)):
                return False
            nearer -= (distances < reach) & (position < sizes) & (others != np.arange(len(others)))
        return not nearer.any()


def _squared_distances_to(X: NDArray[np.float64], others: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return the squared distance of every record to another, summed as for the lists of neighbours."""
    # Imported here because numba takes a second to import.
    from shoal.partition.kernels.lower_bound import measure_lists

    squared = np.empty((len(X), 1))
    measure_lists(X, np.ascontiguousarray(others)[:, np.newaxis], squared)
    return squared[:, 0]
