"""Rules for the groups of a block that a target can be in: its candidate groups.

A rule is a function of the targets (as rows of the file) and of a reach, and returns `Candidates`. A rule that ranks
groups by how likely they are lists the best `reach` of them. A rule that is certain of its groups gives all of them the
rank 1 and ignores the reach; one that knows how likely each is says so by their chances. `remaining_records` uses
nothing else of a rule, so a new rule is a new function here.

Missing values are NaN. The intruder knows which values of a target are missing, and sees which are in the masked file:
where the masking left missing values missing, a target's group lacks them too, and where it suppressed nothing, it
lacks no others. Distances are over the variables that target and group both have, scaled up to all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.describe.standardize import Scale, is_constant, standard_scale
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
    "joined_candidates",
    "likely_groups",
    "nearest_groups",
    "not_negligible",
    "repeated_groups",
    "same_groups",
    "values_by_rounding",
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
        The original values, n by d: first the numbers, then the codes of categories, which mean the same in both files;
        NaN for a missing value.
    groups
        The group of every masked record, numbered in the order of the masked values, a missing one last. Groups with
        the same masked values in these variables count as one.
    centres
        The masked values of every group, g by d, NaN for a missing one.
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

    @cached_property
    def is_complete(self) -> bool:
        """Whether no value is missing in either file."""
        return not (np.isnan(self.original).any() or np.isnan(self.centres).any())

    @cached_property
    def keeps_missing(self) -> NDArray[np.bool_]:
        """By variable, whether all that is missing in the original is missing in the masked file too."""
        return np.asarray((np.isnan(self.centres)[self.groups] | ~np.isnan(self.original)).all(axis=0))

    @cached_property
    def suppresses(self) -> NDArray[np.bool_]:
        """By variable, whether some observed values of the original are missing in the masked file."""
        return np.asarray((np.isnan(self.centres)[self.groups] & ~np.isnan(self.original)).any(axis=0))

    def possible(self, missing: NDArray[np.bool_]) -> Whole64:
        """Return the groups that a target can be in of which these variables are missing."""
        lacks = np.isnan(self.centres)
        excluded = np.where(missing, ~lacks & self.keeps_missing, lacks & ~self.suppresses)
        return np.flatnonzero(~excluded.any(axis=1))

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
    chances
        How likely each of the groups is for its target, up to a factor of the target; None where all are as likely.
    """

    targets: Whole64
    groups: Whole64
    ranks: Whole64
    whole: Whole64
    chances: Doubles | None = None


CandidateRule = Callable[[Whole64, int], Candidates]


def groups_by_value(
    original: Doubles,
    masked: Doubles,
    records: NDArray[np.bool_],
    *,
    standardize: bool = True,
    categories: int = 0,
) -> KnownBlock:
    """Return the groups of a block: the distinct rows of its masked values, up to rounding.

    Parameters
    ----------
    original, masked
        The known variables of the block; NaN for a missing value.
    records
        The records to look at; the scales are those of all.
    standardize
        Whether distances are computed on standard scores.
    categories
        How many of the variables, the last ones, are codes of categories.
    """
    numbers = original.shape[1] - categories
    scales = tuple(
        Scale(0.0, 1.0, 0) if not standardize or place >= numbers or is_constant(column) else standard_scale(column)
        for place, column in enumerate(original.T)
    )
    original, masked = original[records], masked[records]
    values = [values_by_rounding(*both) for both in zip(original.T, masked.T, strict=True)]
    rows = distinct_rows(np.column_stack(values))
    return KnownBlock(original, rows.labels, masked[rows.examples], rows.counts, scales, categories)


def values_by_rounding(original: Doubles, masked: Doubles) -> Whole64:
    """Number the masked values of a variable that differ by more than rounding, in their order; a missing one last."""
    together, place = np.unique(masked, return_inverse=True)
    rounding = ROUNDING * max(_range(original), _range(masked))
    is_next = (np.diff(together, prepend=together[0]) > rounding) | np.isnan(together)
    is_next[0] = False
    return np.asarray(np.cumsum(is_next)[place], dtype=np.int64)


def _range(values: Doubles) -> float:
    observed = values[~np.isnan(values)]
    return float(np.ptp(observed)) if observed.size else 0.0


def has_intervals(block: KnownBlock) -> bool:
    """Whether the groups of a single variable are intervals of its sorted values."""
    observed = ~np.isnan(block.original[:, 0])
    values, groups = block.original[observed, 0], block.groups[observed]
    least, largest = np.full(len(block.sizes), np.inf), np.full(len(block.sizes), -np.inf)
    np.minimum.at(least, groups, values)
    np.maximum.at(largest, groups, values)
    used = np.flatnonzero((least <= largest) & ~np.isnan(block.centres[:, 0]))
    return bool((largest[used[:-1]] <= least[used[1:]] + ROUNDING * _range(values)).all())


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
    values, observed = block.original[:, 0], ~np.isnan(block.centres[:, 0])
    centres = block.centres[observed, 0]  # a missing one is last
    rounding = ROUNDING * max(_range(values), _range(centres))
    low = np.searchsorted(centres, values + rounding, side="right") - 1
    high = np.searchsorted(centres, values - rounding, side="left")
    first = np.where(low >= high, high - 1, low).clip(0)
    last = np.where(low >= high, low + 1, high).clip(None, len(centres) - 1)
    if k is not None:
        out_of_first = _would_improve(values, first, last, block, k)
        out_of_last = _would_improve(values, last, first, block, k)
        first, last = np.where(out_of_first, last, first), np.where(out_of_last, first, last)
    is_missing = np.isnan(values)
    of_missing = block.possible(np.array([True]))
    first[is_missing], last[is_missing] = of_missing.min(initial=0), of_missing.max(initial=-1)
    suppressed = np.flatnonzero(~observed) if block.suppresses[0] else np.empty(0, dtype=np.int64)

    def rule(targets: Whole64, reach: int) -> Candidates:
        counts = last[targets] - first[targets] + 1
        place = np.repeat(np.arange(len(targets)), counts)
        groups = np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts, counts) + first[targets][place]
        ranks, whole = np.ones_like(place), np.full(len(targets), ALL_RANKS)
        if len(suppressed):  # less likely than a value that was kept
            others = np.flatnonzero(~is_missing[targets])
            place, groups, ranks = (
                np.concatenate(parts)
                for parts in (
                    (place, others),
                    (groups, np.repeat(suppressed, len(others))),
                    (ranks, np.full(len(others), 2)),
                )
            )
            order = np.lexsort((groups, place))
            place, groups, ranks = place[order], groups[order], ranks[order]
        return Candidates(place, groups, ranks, whole)

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
    patterns = distinct_rows(np.isnan(block.original).astype(np.int64))
    searches: dict[int, _Search] = {}

    def rule(targets: Whole64, reach: int) -> Candidates:
        found = []
        whole = np.empty(len(targets), dtype=np.int64)
        labels = patterns.labels[targets]
        for pattern in np.unique(labels).tolist():
            if pattern not in searches:
                searches[pattern] = _Search(block, np.isnan(block.original[patterns.examples[pattern]]))
            places = np.flatnonzero(labels == pattern)
            place, groups, ranks, whole[places] = searches[pattern].ranked(targets[places], reach)
            found.append((places[place], groups, ranks))
        place, groups, ranks = (np.concatenate(parts) for parts in zip(*found, strict=True))
        order = np.lexsort((groups, place))
        return Candidates(place[order], groups[order], ranks[order], whole)

    return rule


class _Search:
    """The search for the nearest groups of targets of which the same variables are missing."""

    def __init__(self, block: KnownBlock, missing: NDArray[np.bool_]) -> None:
        self._block, self._observed = block, np.flatnonzero(~missing)
        self._groups = block.possible(missing)
        centres = block.scaled(block.centres[self._groups])[:, self._observed]
        numbers = int((self._observed < block.centres.shape[1] - block.categories).sum())
        if numbers == len(self._observed) > 0 and not np.isnan(centres).any():
            self._query = _tree(centres).query
        else:
            self._query = _scan(centres, numbers)

    def ranked(self, targets: Whole64, reach: int) -> tuple[Whole64, Whole64, Whole64, Whole64]:
        """Return places of targets, groups and ranks, and for every target up to which rank its list is complete."""
        count = len(self._groups)
        some = min(reach + 1, count)  # one more, to see which groups are equally near
        points = self._block.scaled(self._block.original[targets])[:, self._observed]
        distances, groups = self._query(points, k=some)
        is_farther = np.ones((len(targets), some), dtype=bool)
        is_farther[:, 1:] = distances[:, 1:] > distances[:, :-1] * (1 + ROUNDING) + ROUNDING
        ranks = 1 + np.maximum.accumulate(np.where(is_farther, np.arange(some), 0), axis=1)
        whole = np.full(len(targets), ALL_RANKS) if some == count else ranks[:, -1] - 1
        place, column = np.nonzero(ranks <= whole[:, np.newaxis])
        return place, self._groups[groups[place, column]], ranks[place, column], whole


def likely_groups(
    block: KnownBlock, memberships: Callable[[Doubles, Doubles], Doubles], negligible: float
) -> CandidateRule:
    """Take every group whose centre the target may have drawn: all in which its membership is not negligible.

    They are as likely as the memberships say.

    Parameters
    ----------
    block
        The block, without categories and missing values.
    memberships
        A function that returns the memberships of records in centres, both on the scale of the original.
    negligible
        A smaller membership counts as none, unless it is the largest of the target.
    """
    centres = block.scaled(block.centres)
    unchanged = UNCHANGED * block.scaled(block.original).std(axis=0, ddof=1)

    def rule(targets: Whole64, reach: int) -> Candidates:
        found = []
        at_once = max(1, AT_ONCE // len(centres))
        for start in range(0, len(targets), at_once):
            sought = block.scaled(block.original[targets[start : start + at_once]])
            chances = memberships(sought, centres)
            # A target that a centre would have left unchanged may have drawn again among the other centres.
            is_near = (np.abs(sought - centres[chances.argmax(axis=1)]) <= unchanged).all(axis=1)
            for row in np.flatnonzero(is_near):
                others = (np.abs(sought[row] - centres) > unchanged).any(axis=1)
                if others.any():
                    again = memberships(sought[row : row + 1], centres[others])[0]
                    chances[row, others] = np.maximum(chances[row, others], again)
            found.append(not_negligible(chances, negligible, start))
        return joined_candidates(found, len(targets))

    return rule


def not_negligible(chances: Doubles, negligible: float, start: int) -> tuple[Whole64, Whole64, Doubles]:
    """Return targets, from `start` on, with the groups whose chances are not negligible, and these chances.

    They are divided by the largest of the target, which is never negligible, so that products of many are numbers.
    """
    largest = chances.max(axis=1, keepdims=True)
    place, groups = np.nonzero(chances >= np.minimum(negligible, largest))
    return place + start, groups, (chances / largest)[place, groups]


def joined_candidates(found: Sequence[tuple[Whole64, Whole64, Doubles]], targets: int) -> Candidates:
    """Return the candidates of all targets from those of some after the other."""
    place, groups, chances = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return Candidates(place, groups, np.ones_like(place), np.full(targets, ALL_RANKS), chances)


def repeated_groups(block: KnownBlock, labels: Whole64) -> CandidateRule:
    """Take the one group nearest to the mean of the target's group in `labels`, which repeat the masking."""
    counts = np.bincount(labels)
    means = [np.bincount(labels, column) / counts for column in block.scaled(block.original).T]
    nearest = _tree(block.scaled(block.centres)).query(np.column_stack(means), return_distance=False)[:, 0]

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


def _scan(centres: Doubles, numbers: int) -> Callable[..., tuple[Doubles, Whole64]]:
    """Return a search for the nearest centres; categories that differ count as `MISMATCH`.

    A distance is over the variables that the centre has, scaled up to all; a centre that has none of them is as far as
    one record is from another on average.
    """
    width, lacking = centres.shape[1], np.isnan(centres)
    has = width - lacking.sum(axis=1)

    def query(points: Doubles, k: int) -> tuple[Doubles, Whole64]:
        distances, groups = np.empty((len(points), k)), np.empty((len(points), k), dtype=np.int64)
        at_once = max(1, AT_ONCE // len(centres))
        for start in range(0, len(points), at_once):
            here = slice(start, start + at_once)
            total = np.zeros((len(points[here]), len(centres)))
            for place, (own, other) in enumerate(zip(points[here].T, centres.T, strict=True)):
                difference = own[:, np.newaxis] - other
                apart = np.square(difference) if place < numbers else MISMATCH * (difference != 0)
                total += np.where(lacking[:, place], 0.0, apart) if lacking[:, place].any() else apart
            if lacking.any():
                total = np.where(has > 0, total * (width / np.maximum(has, 1)), MISMATCH * width)
            nearest = np.argpartition(total, k - 1, axis=1)[:, :k]
            found = np.take_along_axis(total, nearest, axis=1)
            order = np.argsort(found, axis=1, kind="stable")
            groups[here] = np.take_along_axis(nearest, order, axis=1)
            distances[here] = np.sqrt(np.take_along_axis(found, order, axis=1))
        return distances, groups

    return query


def _tree(centres: Doubles) -> Any:
    from sklearn.neighbors import KDTree  # deferred: slow to import

    return KDTree(centres)
