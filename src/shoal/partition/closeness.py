"""t-close groups of some records, made in several ways, of which the one with the least loss is kept."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.partition.geometry.neighbours import nearest_records
from shoal.partition.geometry.squared_distances import centroids_of
from shoal.progress import advance

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


Doubles = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Distributions:
    """Confidential variables, and how they are distributed in the file.

    Attributes
    ----------
    codes
        A row a variable: the values 0, 1, ... that occur, -1 for a missing value.
    ordered
        For each variable, whether its values have an order.
    start
        Where the values of each variable begin in `below`, and where the last end.
    below
        For values with an order how many records have one up to it, for others how many have it.
    sums
        Their sums up to each value, one more than there are values.
    """

    codes: Whole64
    ordered: NDArray[np.bool_]
    start: Whole64
    below: Doubles
    sums: Doubles

    @classmethod
    def of(cls, codes: Sequence[Whole64], ordered: Sequence[bool]) -> Distributions:
        """Return the distributions of variables of one file."""
        below, sums = [], []
        for own, has_order in zip(codes, ordered, strict=True):
            counts = np.bincount(own[own >= 0]).astype(np.float64)
            below.append(np.cumsum(counts) if has_order else counts)
            sums.append(np.concatenate([[0.0], np.cumsum(below[-1])]))
        start = np.concatenate([[0], np.cumsum([len(one) for one in below])]).astype(np.int64)
        return cls(
            np.ascontiguousarray(np.vstack(codes), dtype=np.int64),
            np.array(ordered, dtype=np.bool_),
            start,
            np.concatenate(below),
            np.concatenate(sums),
        )

    @property
    def file(self) -> tuple[NDArray[np.bool_], Whole64, Doubles, Doubles]:
        """What the kernels take to know the distribution of the file."""
        return self.ordered, self.start, self.below, self.sums

    def within(self, rows: Whole64) -> Whole64:
        """Return the values of some records, those of each variable in their order."""
        return np.sort(self.codes[:, rows], axis=1)

    def distance(self, rows: Whole64) -> float:
        """Return the largest distance of some records to the file, over all variables."""
        from shoal.partition.kernels.closeness import largest_distance  # here, because numba takes a second to import

        return float(largest_distance(self.within(rows), *self.file))


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
