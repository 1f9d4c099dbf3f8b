"""t-closeness first: every group takes as many records from each bucket of the confidential variable."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["bucket_sizes", "grouped_from_buckets"]

Whole64 = NDArray[np.int64]

_MOST_SIZES = 2  # of groups that are tried, and one that is twice as large


def bucket_sizes(records: int, k: int, t: float, variables: int = 1) -> list[tuple[int, int]]:
    """Return numbers of buckets, and how many records of each a group takes, the smallest groups first.

    With b buckets of one variable the distance of a group is at most (n - b) / (2 (n - 1) b) where no value occurs
    twice. A group has at least k records: more buckets, or several records of each. Groups twice as large as they have
    to be are often better, since records can be swapped between them in more ways. Several variables need more.
    """
    fewest = min(records, math.ceil(records / (2 * (records - 1) * max(t, 0.0) + 1))) if records > 1 else 1
    if variables > 1:
        return [(size, 1) for size in sorted({max(k, times * fewest) for times in (1, 2, 4)})]
    smallest = _sizes(k, fewest)[:_MOST_SIZES]
    twice = _sizes(2 * smallest[0][0] * smallest[0][1], fewest)[0]
    return smallest if twice in smallest else [*smallest, twice]


def _sizes(least: int, fewest: int) -> list[tuple[int, int]]:
    """Return at least so many buckets, and how many records of each make a group of at least so many."""
    sizes = {}
    for each in range(1, math.ceil(least / fewest) + 1):
        buckets = max(fewest, math.ceil(least / each))
        sizes[buckets * each] = (buckets, each)  # of the same size, that with fewer buckets
    return [sizes[size] for size in sorted(sizes)]


def grouped_from_buckets(X: NDArray[np.float64], codes: Whole64, buckets: int, each: int) -> Whole64:
    """Return the groups, 0 to g-1, of some records; what is left over is dealt from the bucket in the middle.

    Parameters
    ----------
    X
        The records as points.
    codes
        The values of their confidential variables, a row a variable; missing values come before all others.
    buckets, each
        How many buckets of values there are, in their order, and how many records of each a group takes.
    """
    from shoal.partition.kernels.closeness import dealt_from_buckets  # here, because numba takes a second to import

    groups = len(X) // (buckets * each)
    if groups < 2:
        return np.zeros(len(X), dtype=np.int64)
    over = len(X) - groups * buckets * each
    asked = np.full((groups, buckets), each, dtype=np.int64)
    asked[:, buckets // 2] += over // groups
    asked[: over % groups, buckets // 2] += 1
    bucket = np.empty(len(X), dtype=np.int64)
    bucket[_in_order(codes, buckets)] = np.repeat(np.arange(buckets), asked.sum(axis=0))
    return np.asarray(dealt_from_buckets(np.ascontiguousarray(X), bucket, asked))


def _in_order(codes: Whole64, buckets: int) -> Whole64:
    """Return the records in the order of their values: of several variables, each within parts of those before it.

    The order turns in every other part, so that neighbours are alike in all of them.
    """
    variables, records = codes.shape
    parts = 1
    while math.prod([parts] * variables) < buckets:
        parts += 1
    part = np.zeros(records, dtype=np.int64)
    for own in codes[:-1]:
        order = np.lexsort((np.where(part % 2 == 1, -own, own), part))
        place = np.empty(records, dtype=np.int64)
        place[order] = np.arange(records)
        first = np.searchsorted(part[order], np.arange(part.max() + 2))
        sizes = np.maximum(np.diff(first), 1)
        part = part * parts + (place - first[part]) * parts // sizes[part]
    return np.lexsort((np.where(part % 2 == 1, -codes[-1], codes[-1]), part))
