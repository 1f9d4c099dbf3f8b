"""Which records the representative of each group is taken over."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError, TooFewRecordsError
from shoal.partition.geometry.different_units import count_units
from shoal.replace.neighbours import lenders

__all__ = ["Members", "TooFewObservedError", "joined_to_at_least_k", "members"]


@dataclass(frozen=True, eq=False)
class Members:
    """The records each group's representative of one variable is taken over.

    Attributes
    ----------
    records
        Record numbers, those of one group after those of another.
    starts
        Group i is ``records[starts[i]:starts[i + 1]]``; one more than there are groups. No group is empty.
    groups
        The group number (label) each entry stands for, ascending. Groups without any observed value are left out.
    """

    records: NDArray[np.int64]
    starts: NDArray[np.int64]
    groups: NDArray[np.int64]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of records in every entry."""
        return np.diff(self.starts)

    @property
    def entries(self) -> NDArray[np.int64]:
        """The entry (0, 1, ...) each of `records` belongs to."""
        return np.repeat(np.arange(len(self.groups)), self.sizes)

    def relative_weights(self, weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """Return the weight of every member divided by the largest of its entry, so that equal weights are exactly 1.

        `weights` has one for every record of the table; None is the same as equal ones.
        """
        if weights is None:
            return np.ones(len(self.records))
        gathered = weights[self.records]
        if not np.all((gathered > 0) & np.isfinite(gathered)):
            raise DataError(
                "Weights must be positive numbers; give every record a weight above 0, or leave weights out."
            )
        relative: NDArray[np.float64] = gathered / np.repeat(
            np.maximum.reduceat(gathered, self.starts[:-1]), self.sizes
        )
        return relative


class TooFewObservedError(TooFewRecordsError):
    """A part of the table has some observed values of a variable, but fewer than k.

    Attributes
    ----------
    part
        The part (stratum) as numbered by the caller, who knows its name and that of the variable.
    observed
        How many values are observed in it.
    k
        How many were needed.
    """

    k: int

    def __init__(self, part: int, observed: int, k: int) -> None:
        super().__init__(
            f"k={k} needs at least {k} observed values in every part; part {part} has {observed}. "
            "Merge parts, drop the variable, or lower k."
        )
        self.part = part
        self.observed = observed
        self.k = k

    def __reduce__(self) -> tuple[type[TooFewObservedError], tuple[int, int, int]]:
        return type(self), (self.part, self.observed, self.k)


def members(labels: NDArray[np.int64], observed: NDArray[np.bool_]) -> Members:
    """Return the records of every group in which the variable is observed.

    Parameters
    ----------
    labels
        The group of every record; -1 for a record in no group.
    observed
        Whether the variable has a value in that record.
    """
    records = np.flatnonzero((labels >= 0) & observed)
    records = records[np.argsort(labels[records], kind="stable")]
    groups, first = np.unique(labels[records], return_index=True)
    return Members(
        records=records.astype(np.int64),
        starts=np.append(first, len(records)).astype(np.int64),
        groups=groups.astype(np.int64),
    )


def joined_to_at_least_k(
    labels: NDArray[np.int64],
    observed: NDArray[np.bool_],
    centres: NDArray[np.float64],
    k: int,
    part_of_group: NDArray[np.int64],
    needed: NDArray[np.bool_] | None = None,
    units: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """Return labels for one variable, groups with fewer than `k` observed values joined to their neighbours.

    Groups that fall short take turns by number; each is joined to its nearest group, and the next, until `k` observed
    values are together. All the groups so joined share one representative, under the lowest of their numbers. Were the
    neighbour to keep one of its own, the two would differ by the few values that were to be hidden, and anyone who can
    count could take them apart.

    Parameters
    ----------
    labels
        The group of every record, 0 to g-1; -1 for a record in no group.
    observed
        Whether the variable has a value in that record.
    centres
        The centres of the groups, g by d; NaN where a group has no observed value. Neighbours are ordered by the
        squared distance over the columns known in both, times d over their number; where no column is known in
        both the distance is infinite. Equal distances: the lower group number comes first.
    k
        How many observed values every representative needs.
    part_of_group
        The part (stratum) of every group; only groups of the same part are neighbours.
    needed
        Which groups need a representative; by default those with an observed value.
    units
        The unit (household, firm) of every record: where given, `k` different units need an observed value.

    Raises
    ------
    TooFewObservedError
        If a part has observed values, but fewer than `k`. A part without any needs no representative.
    """
    counted = np.where(observed, labels, -1)
    if units is None:
        counts = np.bincount(counted[counted >= 0], minlength=len(part_of_group))
    else:
        counts = count_units(counted, units, len(part_of_group))
    short = np.flatnonzero((counts < k) & (counts > 0 if needed is None else needed))
    if len(short) == 0:
        return labels
    part_names, part = np.unique(part_of_group, return_inverse=True)
    in_part = np.bincount(part, weights=counts).astype(np.int64)
    pairs = []
    for number in np.unique(part[short]):
        if in_part[number] < k:
            raise TooFewObservedError(part=int(part_names[number]), observed=int(in_part[number]), k=k)
        candidates = np.union1d(np.flatnonzero((part == number) & (counts > 0)), short[part[short] == number])
        pairs.append(lenders(short[part[short] == number], candidates, centres, counts, k))
    borrower, lender = (np.concatenate(side) for side in zip(*pairs, strict=True))
    order = np.argsort(borrower, kind="stable")  # each borrower's lenders stay nearest first
    joined = _joined(zip(borrower[order].tolist(), lender[order].tolist(), strict=True), counts.tolist(), k)
    lowest = np.asarray(joined, dtype=np.int64)
    labels = np.where(labels >= 0, lowest[labels], -1)
    if units is None:
        return labels
    # Groups that were joined may share units, and then have fewer than their sum.
    needed = None if needed is None else np.bincount(lowest, weights=needed, minlength=len(lowest)) > 0
    return joined_to_at_least_k(labels, observed, centres, k, part_of_group, needed, units)


def _joined(pairs: Iterable[tuple[int, int]], counts: list[int], k: int) -> list[int]:
    """Join each borrower to its lenders until k values are together; return the lowest group each is joined to."""
    leader = list(range(len(counts)))

    def find(group: int) -> int:
        while leader[group] != group:
            leader[group] = leader[leader[group]]
            group = leader[group]
        return group

    for borrower, lender in pairs:
        one, other = find(borrower), find(lender)
        if counts[one] < k and one != other:
            low, high = min(one, other), max(one, other)
            leader[high] = low
            counts[low] += counts[high]
    return [find(group) for group in range(len(counts))]
