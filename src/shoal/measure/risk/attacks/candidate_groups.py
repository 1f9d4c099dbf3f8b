"""Rules for the groups of a block that a target can be in: its candidate groups.

A rule is a function of the targets (as rows of the file) and of a reach, and returns `Candidates`. A rule that ranks
groups by how likely they are lists the best `reach` of them. A rule that is certain of its groups gives all of them the
rank 1 and ignores the reach. `remaining_records` uses nothing else of a rule, so a new rule is a new function here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.describe.standardize import Scale, standard_scale
from shoal.measure.risk.distinct_rows import distinct_rows
from shoal.replace.soft_groups import UNCHANGED

__all__ = [
    "ALL_RANKS",
    "AT_ONCE",
    "MISMATCH",
    "ROUNDING",
    "CandidateRule",
    "Candidates",
    "KnownBlock",
    "bracketing_groups",
    "groups_by_value",
    "has_intervals",
    "likely_groups",
    "nearest_groups",
    "repeated_groups",
    "same_groups",
]

Doubles = NDArray[np.float64]
Whole64 = NDArray[np.int64]

# Numbers that differ by less than this part of the variable's range, or of a distance, are equal but for rounding.
ROUNDING = 1e-9
ALL_RANKS = np.iinfo(np.int64).max
AT_ONCE = 2_000_000  # numbers in memory
MISMATCH = 2  # in squared distances: the mean squared difference of a standardised variable, so that all weigh alike


@dataclass(frozen=True)
class KnownBlock:
    """The known variables of a block: the original values of all records, and the groups of the masked file.

    Attributes
    ----------
    original
        The original values, n by d: first the numbers, then the codes of categories, which mean the same in both files.
    groups
        The group of every masked record, numbered in the order of the masked values. Groups with the same masked
        values in these variables count as one.
    centres
        The masked values of every group, g by d.
    sizes
        How many masked records have them.
    scales
        The scale of every variable in the original; codes stay as they are.
    categories
        How many variables, the last ones, are categories, which agree or not.
    """

    original: Doubles
    groups: Whole64
    centres: Doubles
    sizes: Whole64
    scales: tuple[Scale, ...]
    categories: int = 0

    def scaled(self, values: Doubles) -> Doubles:
        """Return original or masked values of the variables on the scale of the original."""
        return np.column_stack([scale.apply(column) for scale, column in zip(self.scales, values.T, strict=True)])


class Candidates(NamedTuple):
    """The groups that some targets can be in, by target and then by group.

    Attributes
    ----------
    targets, groups, ranks
        The place of a target among the targets of the call, a group, and the rank of this group for the target.
    whole
        For every target, up to which rank its list is complete.
    """

    targets: Whole64
    groups: Whole64
    ranks: Whole64
    whole: Whole64


CandidateRule = Callable[[Whole64, int], Candidates]


def groups_by_value(
    original: Doubles,
    masked: Doubles,
    complete: NDArray[np.bool_],
    *,
    standardize: bool = True,
    categories: int = 0,
) -> KnownBlock:
    """Return the groups of a block: the distinct rows of its masked values, up to rounding.

    Parameters
    ----------
    original, masked
        The known variables of the block, all of which vary.
    complete
        The records to look at, which have no missing value; the scales are those of all records.
    standardize
        Whether distances are computed on standard scores.
    categories
        How many of the variables, the last ones, are codes of categories.
    """
    numbers = original.shape[1] - categories
    scales = tuple(
        standard_scale(column) if standardize and place < numbers else Scale(0.0, 1.0, 0)
        for place, column in enumerate(original.T)
    )
    original, masked = original[complete], masked[complete]
    values = []
    for first, second in zip(original.T, masked.T, strict=True):
        together, place = np.unique(second, return_inverse=True)
        rounding = ROUNDING * max(np.ptp(first), np.ptp(second))
        values.append(np.cumsum(np.diff(together, prepend=together[0]) > rounding)[place])
    rows = distinct_rows(np.column_stack(values))
    return KnownBlock(original, rows.labels, masked[rows.examples], rows.counts, scales, categories)


def has_intervals(block: KnownBlock) -> bool:
    """Whether the groups of a single variable are intervals of its sorted values."""
    values = block.original[:, 0]
    least, largest = np.full(len(block.sizes), np.inf), np.full(len(block.sizes), -np.inf)
    np.minimum.at(least, block.groups, values)
    np.maximum.at(largest, block.groups, values)
    return bool((largest[:-1] <= least[1:] + ROUNDING * np.ptp(values)).all())


def bracketing_groups(block: KnownBlock, *, k: int | None = None) -> CandidateRule:
    """Take the two groups whose centres a target's value lies between; its own group is one of them.

    This holds if the groups of a single variable are intervals of the sorted values and their centres lie inside.
    A value that equals a centre can belong to that group and to both next to it.

    Parameters
    ----------
    block
        The block, of one variable.
    k
        If the groups have the smallest sum of squared errors possible with at least k records in each, and are
        replaced by their mean, one of the two can often be excluded: moving the target to the other group would make
        the sum smaller.
    """
    values, centres = block.original[:, 0], block.centres[:, 0]
    rounding = ROUNDING * max(np.ptp(values), np.ptp(centres))
    low = np.searchsorted(centres, values + rounding, side="right") - 1
    high = np.searchsorted(centres, values - rounding, side="left")
    first = np.where(low >= high, high - 1, low).clip(0)
    last = np.where(low >= high, low + 1, high).clip(None, len(centres) - 1)
    if k is not None:
        out_of_first = _would_improve(values, first, last, block, k)
        out_of_last = _would_improve(values, last, first, block, k)
        first, last = np.where(out_of_first, last, first), np.where(out_of_last, first, last)

    def rule(targets: Whole64, reach: int) -> Candidates:
        counts = last[targets] - first[targets] + 1
        place = np.repeat(np.arange(len(targets)), counts)
        groups = np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts, counts) + first[targets][place]
        return Candidates(place, groups, np.ones_like(place), np.full(len(targets), ALL_RANKS))

    return rule


def _would_improve(values: Doubles, here: Whole64, there: Whole64, block: KnownBlock, k: int) -> NDArray[np.bool_]:
    """Whether moving a value from group `here` to group `there` would make the sum of squared errors smaller.

    Only for neighbouring groups, both of a size that shows that each is a single group.
    """
    centres, sizes = block.centres[:, 0], block.sizes
    would: NDArray[np.bool_] = (
        (np.abs(here - there) == 1) & (sizes[here] > k) & (sizes[here] < 2 * k) & (sizes[there] < 2 * k - 1)
    )
    values, here, there = values[would], here[would], there[would]
    apart = centres[here] - centres[there]
    less = sizes[here] / (sizes[here] - 1) * ((values - centres[here]) / apart) ** 2
    more = sizes[there] / (sizes[there] + 1) * ((values - centres[there]) / apart) ** 2
    would[would] = less > more + ROUNDING
    return would


def nearest_groups(block: KnownBlock) -> CandidateRule:
    """Take the groups whose centres are nearest, on the scale of the original."""
    query = _scan(block) if block.categories else _tree(block).query
    count = len(block.centres)

    def rule(targets: Whole64, reach: int) -> Candidates:
        some = min(reach + 1, count)  # one more, to see which groups are equally near
        distances, groups = query(block.scaled(block.original[targets]), k=some)
        is_farther = np.ones((len(targets), some), dtype=bool)
        is_farther[:, 1:] = distances[:, 1:] > distances[:, :-1] * (1 + ROUNDING) + ROUNDING
        ranks = 1 + np.maximum.accumulate(np.where(is_farther, np.arange(some), 0), axis=1)
        whole = np.full(len(targets), ALL_RANKS) if some == count else ranks[:, -1] - 1
        place, column = np.nonzero(ranks <= whole[:, np.newaxis])
        order = np.lexsort((groups[place, column], place))
        place, column = place[order], column[order]
        return Candidates(place, groups[place, column].astype(np.int64), ranks[place, column], whole)

    return rule


def likely_groups(
    block: KnownBlock, memberships: Callable[[Doubles, Doubles], Doubles], negligible: float
) -> CandidateRule:
    """Take every group whose centre the target may have drawn: all in which its membership is not negligible.

    Parameters
    ----------
    block
        The block.
    memberships
        A function that returns the memberships of records in centres, both on the scale of the original.
    negligible
        A smaller membership counts as none, unless it is the largest of the target.
    """
    centres = block.scaled(block.centres)
    unchanged = UNCHANGED * block.scaled(block.original).std(axis=0, ddof=1)

    def rule(targets: Whole64, reach: int) -> Candidates:
        places, groups = [], []
        at_once = max(1, AT_ONCE // len(centres))
        for start in range(0, len(targets), at_once):
            sought = block.scaled(block.original[targets[start : start + at_once]])
            some = memberships(sought, centres)
            is_likely = some >= np.minimum(negligible, some.max(axis=1, keepdims=True))
            # A target that a centre would have left unchanged may have drawn again among the other centres.
            is_near = (np.abs(sought - centres[some.argmax(axis=1)]) <= unchanged).all(axis=1)
            for row in np.flatnonzero(is_near):
                others = (np.abs(sought[row] - centres) > unchanged).any(axis=1)
                if others.any():
                    is_likely[row, others] |= memberships(sought[row : row + 1], centres[others])[0] >= negligible
            place, group = np.nonzero(is_likely)
            places.append(place + start)
            groups.append(group)
        place = np.concatenate(places)
        return Candidates(place, np.concatenate(groups), np.ones_like(place), np.full(len(targets), ALL_RANKS))

    return rule


def repeated_groups(block: KnownBlock, labels: Whole64) -> CandidateRule:
    """Take the one group nearest to the mean of the target's group in `labels`, which repeat the masking."""
    counts = np.bincount(labels)
    means = [np.bincount(labels, column) / counts for column in block.scaled(block.original).T]
    nearest = _tree(block).query(np.column_stack(means), return_distance=False)[:, 0]

    def rule(targets: Whole64, reach: int) -> Candidates:
        place = np.arange(len(targets))
        return Candidates(place, nearest[labels[targets]], np.ones_like(place), np.full(len(targets), ALL_RANKS))

    return rule


def same_groups(block: KnownBlock) -> CandidateRule:
    """Take the one group with the target's own values: its variables were released as they are."""

    def rule(targets: Whole64, reach: int) -> Candidates:
        place = np.arange(len(targets))
        return Candidates(place, block.groups[targets], np.ones_like(place), np.full(len(targets), ALL_RANKS))

    return rule


def _scan(block: KnownBlock) -> Callable[..., tuple[Doubles, Whole64]]:
    """Return a search for the nearest centres, in which categories that differ count as `MISMATCH`."""
    centres = block.scaled(block.centres)
    numbers = centres.shape[1] - block.categories

    def query(points: Doubles, k: int) -> tuple[Doubles, Whole64]:
        distances, groups = np.empty((len(points), k)), np.empty((len(points), k), dtype=np.int64)
        at_once = max(1, AT_ONCE // len(centres))
        for start in range(0, len(points), at_once):
            here = slice(start, start + at_once)
            total = np.zeros((len(points[here]), len(centres)))
            for place, (own, other) in enumerate(zip(points[here].T, centres.T, strict=True)):
                difference = own[:, np.newaxis] - other
                total += np.square(difference) if place < numbers else MISMATCH * (difference != 0)
            nearest = np.argpartition(total, k - 1, axis=1)[:, :k]
            found = np.take_along_axis(total, nearest, axis=1)
            order = np.argsort(found, axis=1, kind="stable")
            groups[here] = np.take_along_axis(nearest, order, axis=1)
            distances[here] = np.sqrt(np.take_along_axis(found, order, axis=1))
        return distances, groups

    return query


def _tree(block: KnownBlock) -> Any:
    from sklearn.neighbors import KDTree  # deferred: slow to import

    return KDTree(block.scaled(block.centres))
