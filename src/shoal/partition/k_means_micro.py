"""k-means microaggregation: groups split in two by 2-means, until none is large enough to split."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.parameters.limits import Limit, Whole
from shoal.partition.base import Partitioner
from shoal.partition.geometry.squared_distances import safely_scaled, squared_distances
from shoal.progress import advance

__all__ = ["KMeansMicro"]

_MOST_ROUNDS = 100


class KMeansMicro(Partitioner):
    """Groups of k to 2k-1 by splitting in two, again and again, with 2-means.

    The file is one group at first. Every group of 2k or more is split by 2-means in which both parts keep at least k
    records: of the records in order of how much nearer they are to the one centre than to the other, the first are
    one part and the rest the other; the cut is where nearer turns into farther, or as near to there as k allows. A
    split never raises the sum of squared errors, so it goes on until every group has k to 2k-1 records. Groups are
    numbered in the order of the splits.

    Parameters
    ----------
    k
        The least number of records in a group.
    random_state
        The seed for the two records every 2-means starts from: the first is drawn from all, the second with
        probability proportional to its squared distance to the first.

    Attributes
    ----------
    labels_
        The group of every record, 0 to g-1.

    Notes
    -----
    This interprets a one-sentence description, which leaves open how a part that is too small is repaired; the
    cut used here is the best there is for these two centres. Of records equally placed the one with the lowest row
    number comes first. Identical records are cut into groups of k in the order of the rows. The same seed gives the
    same groups.

    References
    ----------
    M. E. Kabir, A. N. Mahmood and A. K. Mustafa (2012), K-means clustering microaggregation for statistical
    disclosure control, International Conference on Advances in Computing and Communications.
    """

    name: ClassVar[str] = "k-means"
    reference: ClassVar[str] = (
        "M. E. Kabir, A. N. Mahmood and A. K. Mustafa (2012), K-means clustering microaggregation for "
        "statistical disclosure control, International Conference on Advances in Computing and "
        "Communications."
    )
    limits: ClassVar[Mapping[str, Limit]] = {"k": Whole(2), "random_state": Whole(0)}
    cost: ClassVar[str] = "n log n"
    most_records: ClassVar[int | None] = 300_000

    def __init__(self, k: int, *, random_state: int = 0) -> None:
        self.k = k
        self.random_state = random_state

    def _partition(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        X = safely_scaled(X)
        rng = np.random.default_rng(self.random_state)
        labels = np.empty(len(X), dtype=np.int64)
        to_split = [np.arange(len(X))]
        groups = 0
        while to_split:
            rows = to_split.pop()
            if len(rows) < 2 * self.k:
                labels[rows] = groups
                groups += 1
                advance(len(rows) / len(X))
                continue
            parts = _split(X[rows], self.k, rng)
            to_split += [rows[part] for part in reversed(parts)]
        return labels


def _split(records: NDArray[np.float64], k: int, rng: np.random.Generator) -> list[NDArray[np.intp]]:
    """Return the rows of two parts of at least k records, or of all groups where all records are identical."""
    n = len(records)
    first = records[rng.integers(n)]
    share = rng.random()
    weights = np.cumsum(squared_distances(records, first))
    if weights[-1] == 0.0:
        return _groups_of_identical(n, k, rng)
    drawn = int(np.searchsorted(weights, share * weights[-1], side="right"))
    second = records[min(drawn, n - 1)]
    is_first = np.zeros(n, dtype=np.bool_)
    for _ in range(_MOST_ROUNDS):
        nearer_to_first = squared_distances(records, first) - squared_distances(records, second)
        cut = min(max(np.count_nonzero(nearer_to_first < 0), k), n - k)
        before = is_first
        is_first = np.zeros(n, dtype=np.bool_)
        is_first[np.argsort(nearer_to_first, kind="stable")[:cut]] = True
        if np.array_equal(before, is_first):
            break
        first, second = records[is_first].mean(axis=0), records[~is_first].mean(axis=0)
    return [np.flatnonzero(is_first), np.flatnonzero(~is_first)]


def _groups_of_identical(n: int, k: int, rng: np.random.Generator) -> list[NDArray[np.intp]]:
    """Return the first k rows, the next k and so on: what repeated splits would give, but in one pass."""
    for left in range(n - k, 2 * k - 1, -k):  # draw as those splits would, so that later splits start the same
        rng.integers(left)
        rng.random()
    return np.split(np.arange(n), range(k, n - k + 1, k))
