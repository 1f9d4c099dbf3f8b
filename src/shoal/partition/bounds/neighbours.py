"""The lower bound that follows from the nearest neighbours of every record; for files of any size."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.partition.bounds.rounding import ROUNDING
from shoal.partition.geometry.neighbours import lists_of_neighbours, nearest_records

__all__ = ["LONGEST_LIST", "MOST_LISTED", "bound_of_neighbours", "lower_bound_by_neighbours"]

LONGEST_LIST = 200
MOST_LISTED = 4_000_000  # neighbours of all records together, where lists of k do not need more
_SWEEPS = 10  # over the prices; ten more would add less than a thousandth


def bound_of_neighbours(X: NDArray[np.float64], k: int) -> float:
    """Return a lower bound on the SSE of all partitions of these records into groups of at least k.

    Notes
    -----
    The SSE of a group of s records is the sum of the squared distances D of its pairs, divided by s. Let y be k/s
    for every pair of records in one group, and 0 for all others. Then y is at most 1, sums up to k (s-1)/s, which
    is at least k-1, over the pairs of any record, and the SSE of the partition is the sum of D y, divided by k.
    These two properties alone leave a linear program, a fractional matching of every record with k-1 others, whose
    minimum can only be smaller. By duality any prices p >= 0 of the records bound that minimum from below:

        k SSE >= (k-1) sum_i p_i - sum_{i<j} max(0, p_i + p_j - D_ij).

    With half the D of its (k-1)th neighbour as the price of a record, this is at least the well-known bound: the
    sum over all records of their k-1 smallest D, divided by 2k. It is then made larger by setting one price after
    the other to its best. Only near pairs are listed; a price is at most half the D of the record's last listed
    neighbour, so that no other pair counts. For millions of records and a large k the well-known bound is returned.
    """
    n = len(X)
    if (k - 1) * n > 5 * MOST_LISTED:
        return sum(_simple_bound(distances, k) for _, _, distances in lists_of_neighbours(X, k - 1))
    length = max(k - 1, min(LONGEST_LIST, MOST_LISTED // n))
    return lower_bound_by_neighbours(X, nearest_records(X, min(length, n - 1)), k)


def lower_bound_by_neighbours(X: NDArray[np.float64], neighbours: NDArray[np.int32], k: int) -> float:
    """Return the bound that follows from these neighbours, the nearest ones of every record, nearest first.

    Longer lists give a better bound. With fewer than k-1 neighbours it is below the well-known one.
    """
    # Imported here because numba takes a second to import.
    from shoal.partition.kernels import lower_bound as kernels

    n, length = neighbours.shape
    length = min(length, max(k - 1, MOST_LISTED // n))
    neighbours = np.ascontiguousarray(neighbours[:, :length])
    squared = np.empty((n, length))
    kernels.measure_lists(X, neighbours, squared)
    if length < k - 1:
        return _simple_bound(squared, k)

    counts = np.zeros(n, dtype=np.int64)
    kernels.count_pairs(neighbours, counts)
    starts = np.concatenate([[0], np.cumsum(counts)])
    others = np.empty(starts[-1], dtype=np.int32)
    distances = np.empty(starts[-1])
    kernels.list_pairs(neighbours, squared, starts, others, distances)
    prices = squared[:, k - 2] / 2
    highest = squared[:, -1] / 2
    overpaid = np.empty(n)
    best = 0.0
    for sweep in range(_SWEEPS + 1):
        if sweep:
            kernels.raise_prices(starts, others, distances, k, highest, prices)
        kernels.sum_overpaid(starts, others, distances, prices, overpaid)
        paid = (k - 1) * prices.sum() * (1 - ROUNDING)
        best = max(best, float(paid - overpaid.sum()) / k)
    return best


def _simple_bound(squared: NDArray[np.float64], k: int) -> float:
    """Return what these records add to the well-known bound; neighbours not listed count like the last one listed."""
    total = squared[:, : k - 1].sum() + max(0, k - 1 - squared.shape[1]) * squared[:, -1].sum()
    return float(total) / (2 * k) * (1 - ROUNDING)
