"""Groups that a good partition may be made of, each kept once, with its squared error."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.partition.bounds.cuts import Cuts

__all__ = ["GroupPool"]


class GroupPool:
    """Groups of k to 2k-1 records, numbered in the order in which they came.

    Parameters
    ----------
    X
        The records.
    k
        The least number of records in a group.
    """

    def __init__(self, X: NDArray[np.float64], k: int) -> None:
        self._X = X
        self._numbers: dict[bytes, int] = {}
        self._members = np.full((1024, 2 * k - 1), -1, dtype=np.int32)
        self._errors = np.zeros(1024)

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def members(self) -> NDArray[np.int32]:
        """The records of every group, in ascending order, filled up with -1."""
        return self._members[: len(self)]

    @property
    def errors(self) -> NDArray[np.float64]:
        """The squared error of every group."""
        return self._errors[: len(self)]

    def put(self, groups: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        """Take groups of one size, one a line, and return the number of each."""
        groups = np.sort(groups.astype(np.int32), axis=1)
        numbers = np.empty(len(groups), dtype=np.int64)
        before = len(self)
        for line, group in enumerate(groups):
            numbers[line] = self._numbers.setdefault(group.tobytes(), len(self._numbers))
        count = len(self)
        if count > before:
            self._make_room(count)
            new = np.flatnonzero(numbers >= before)
            _, first = np.unique(numbers[new], return_index=True)
            lines = new[first]
            self._members[before:count, : groups.shape[1]] = groups[lines]
            self._errors[before:count] = squared_errors(self._X, groups[lines])
        return numbers

    def put_partition(self, labels: NDArray[np.int64]) -> NDArray[np.int64]:
        """Take the groups of a partition, and return the number of each."""
        order = np.argsort(labels, kind="stable")
        groups = np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)
        return np.concatenate([self.put(group[np.newaxis]) for group in groups])

    def price(self, numbers: NDArray[np.int64], prices: NDArray[np.float64], cuts: Cuts) -> NDArray[np.float64]:
        """Return the reduced cost of groups: their squared error and penalties less the prices of their records."""
        members = self._members[numbers]
        costs = self._errors[numbers] + cuts.costs_of(members)
        for column in members.T:
            costs -= np.where(column >= 0, prices[column], 0.0)
        return costs

    def entries(
        self, numbers: NDArray[np.int64], records: NDArray[np.int64], triples: NDArray[np.int64]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the columns of some groups in a program with a row for each of these records, then one for each cut.

        These are the rows of all entries, all of which are 1, and where every group starts.
        """
        members = self._members[numbers]
        held, counts = Cuts(int(records[-1]) + 1, triples).held_by(members)
        sizes = (members >= 0).sum(axis=1)
        lengths = sizes + counts
        starts = np.cumsum(lengths) - lengths
        rows = np.empty(lengths.sum(), dtype=np.int32)
        is_record = np.arange(len(rows)) - np.repeat(starts, lengths) < np.repeat(sizes, lengths)
        rows[is_record] = np.searchsorted(records, members[members >= 0])
        rows[~is_record] = len(records) + held
        return rows, starts.astype(np.int32)

    def _make_room(self, count: int) -> None:
        room = len(self._errors)
        if count > room:
            more = max(count - room, room)
            self._members = np.vstack([self._members, np.full((more, self._members.shape[1]), -1, dtype=np.int32)])
            self._errors = np.concatenate([self._errors, np.zeros(more)])


def squared_errors(X: NDArray[np.float64], groups: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
    """Return the squared error of groups of one size, one a line."""
    means = sum(X[column] for column in groups.T) / groups.shape[1]
    total = np.zeros(len(groups))
    for column in groups.T:
        total += ((X[column] - means) ** 2).sum(axis=1)
    return total
