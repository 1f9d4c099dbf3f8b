"""t-close groups of some records, made in several ways, of which the one with the least loss is kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.partition.closeness.buckets import bucket_sizes, grouped_from_buckets
from shoal.partition.closeness.distributions import Distributions
from shoal.partition.closeness.merging import merged_until_close
from shoal.partition.geometry.centroids import centroids_of
from shoal.partition.geometry.neighbours import nearest_records
from shoal.progress import advance

__all__ = ["AS_MADE", "BUCKETS", "EXCHANGED", "MERGED", "CloseGroups", "close_groups", "squared_error"]

Doubles = NDArray[np.float64]
Whole64 = NDArray[np.int64]

AS_MADE, MERGED, EXCHANGED, BUCKETS = "as the method made them", "merging", "k-anonymity first", "t-closeness first"

_MOST_EXCHANGES = 256  # records that a group tries to take in, the nearest first
_NEAR = 16  # groups that records are swapped with
_LARGEST = 64  # records of groups in which some are swapped
_ROUNDS = 10  # over all groups
_A_WAY = 0.1  # of the work; there are ten at most


@dataclass(frozen=True, eq=False)
class CloseGroups:
    """Groups that are close to the file, and the way they were made."""

    labels: Whole64
    way: str


def close_groups(
    X: Doubles, labels: Whole64, distributions: Distributions, k: int, t: float, *, merge_only: bool = False
) -> CloseGroups:
    """Return groups of at least `k` records of which none is farther than `t` from the file.

    All records together have to be as close. Three ways are gone (Soria-Comas, Domingo-Ferrer, Sánchez and Martínez,
    2015): the groups as the method made them, merged; groups of k whose records are exchanged with near ones, and the
    rest merged; groups that take as many records from each bucket of the confidential values. Then records of near
    groups are swapped as long as the squared error falls and t holds. The groups with the least squared error are
    taken, of several the first.

    The paper has buckets for one variable with an order. Here the codes of a variable without one are as good, since
    what matters is that a group has its share of each; of several variables each is ordered within parts of those
    before it.

    Parameters
    ----------
    X
        Records as points, none of them with a missing value.
    labels
        The groups as the method made them, 0 to g-1.
    distributions
        The confidential variables of these records, beside those of the file.
    k, t
        The least number of records in a group, and how far it may be from the file.
    merge_only
        Whether groups are merged and nothing else, so that each has all the records of some of those that were made.
    """
    merged = merged_until_close(X, labels, distributions, t)
    if merged.max() == labels.max():
        return CloseGroups(labels, AS_MADE)
    if merge_only:
        return CloseGroups(merged, MERGED)
    best, least = CloseGroups(merged, MERGED), np.inf
    for way, found in _ways(X, merged, distributions, k, t):
        swapped = _swapped(X, found, distributions, t)
        error = squared_error(X, swapped)
        advance(_A_WAY)
        if error < least:
            best, least = CloseGroups(swapped, way), error
    return best


def squared_error(X: Doubles, labels: Whole64) -> float:
    """Return the sum of squared distances of records to the means of their groups."""
    differences = X - centroids_of(X, labels)[labels]
    return float((differences * differences).sum())


def _ways(X: Doubles, merged: Whole64, distributions: Distributions, k: int, t: float) -> Iterator[tuple[str, Whole64]]:
    from shoal.partition.kernels.closeness import grouped_with_exchanges  # here, because numba takes a second to import

    yield MERGED, merged
    found = grouped_with_exchanges(X, distributions.codes, k, t, _MOST_EXCHANGES, *distributions.file)
    exchanged = np.asarray(found, dtype=np.int64)
    yield EXCHANGED, merged_until_close(X, exchanged, distributions, t)
    beyond = distributions.distance(np.arange(len(X)))  # what these records together are away from the file
    for buckets, each in bucket_sizes(len(X), k, t - beyond, len(distributions.codes)):
        dealt = grouped_from_buckets(X, distributions.codes, buckets, each)
        yield BUCKETS, merged_until_close(X, dealt, distributions, t)


def _swapped(X: Doubles, labels: Whole64, distributions: Distributions, t: float) -> Whole64:
    """Return these groups after swaps of records of near groups that lower the squared error and keep them close."""
    from shoal.partition.kernels.closeness import swap_records  # here, because numba takes a second to import

    sizes = np.bincount(labels)
    groups = len(sizes)
    if groups < 2:
        return labels
    rows = np.argsort(labels, kind="stable")
    centres = centroids_of(X, labels)
    near = np.tile(np.arange(groups), (groups, 1))
    if groups > _NEAR:
        near = nearest_records(centres, _NEAR).astype(np.int64)
    begin = np.concatenate([[0], np.cumsum(sizes)])
    swap_records(X, distributions.codes, rows, begin, centres, near, t, _LARGEST, _ROUNDS, *distributions.file)
    swapped = np.empty_like(labels)
    swapped[rows] = np.repeat(np.arange(groups), sizes)
    return swapped
