"""Clusters that are the first choice of too few records: dissolved, or filled from the others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["filled", "large_enough"]

_FEWEST = 2  # clusters are left however small they are: one is no split


def large_enough(counts: NDArray[np.int64], least: float) -> NDArray[np.bool_]:
    """Return which clusters are not dissolved: those of at least so many records, and in any case the two largest.

    Of clusters equally large the first is larger.
    """
    largest = np.argsort(-counts, kind="stable")[:_FEWEST]
    kept: NDArray[np.bool_] = counts >= least
    kept[largest] = True
    return kept


def filled(memberships: NDArray[np.float64], parts: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Return the part of every record, each with at least k records.

    Of all records in parts of more than k, the one with the highest membership in a part below k moves there; then the
    next, until no part is below k. Of memberships equally high the first record's counts, and of these the first
    cluster's. There must be k records for every cluster.

    Parameters
    ----------
    memberships
        Of n records in c clusters.
    parts
        The cluster that each record is in.
    k
        The least number of records in a cluster.
    """
    parts = parts.copy()
    counts = np.bincount(parts, minlength=memberships.shape[1])
    lacking = np.flatnonzero(counts < k)
    movable = np.flatnonzero(counts[parts] > k)
    highest_first = np.argsort(-memberships[np.ix_(movable, lacking)], axis=None, kind="stable")
    # No part ever gains that has k already, so whoever cannot move now cannot move later: one pass is enough.
    for place in highest_first:
        if counts[lacking].min(initial=k) >= k:
            break
        row, part = movable[place // len(lacking)], lacking[place % len(lacking)]
        if counts[part] < k < counts[parts[row]]:
            counts[parts[row]] -= 1
            counts[part] += 1
            parts[row] = part
    return parts
