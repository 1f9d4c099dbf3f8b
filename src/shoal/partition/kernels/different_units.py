"""The kernel that moves and swaps records between groups until every group has records of enough different units."""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Booleans, Doubles, Integers, Scalar, inner_kernel, kernel
from shoal.partition.kernels.squared_distance import squared_distance

_MOST_LOOKED_AT = 32  # records of one group; more are only in groups with many records of one unit
_PASSES = 4  # over the groups that were changed


@kernel
def give_units(
    X: Doubles, unit: Integers, units: Scalar, k: Scalar, near: Integers, labels: Integers, centres: Doubles
) -> None:
    """Change `labels` in place so that every group that is left has records of at least k units.

    Groups that have fewer take turns by number. Each takes in a record of a unit it does not have, moved from a near
    group or swapped with one, whichever adds least to the squared error, and no other group is left with fewer units
    than it needs; a group that finds none is dissolved, its records going to the near group with the nearest centre.
    Groups that were changed are then improved by the same moves and swaps, as long as the squared error falls.

    Parameters
    ----------
    X, unit
        The records, and the unit of each, 0 to units - 1.
    near
        For every group those that are near, which may include itself.
    labels, centres
        The group of every record, and the mean of every group.
    """
    n, groups = X.shape[0], centres.shape[0]
    first = np.full(groups, -1, np.int64)  # the records of a group are a chain
    after = np.full(n, -1, np.int64)
    sizes = np.zeros(groups, np.int64)
    for record in range(n - 1, -1, -1):
        group = labels[record]
        after[record] = first[group]
        first[group] = record
        sizes[group] += 1
    own, other = np.zeros(units, np.int64), np.zeros(units, np.int64)  # records of each unit in two groups
    changed = np.zeros(groups, np.bool_)
    for group in range(groups):
        if sizes[group] == 0:
            continue
        have = _count(first, after, unit, group, own, 1)
        while have < k:
            best = _best(X, unit, k, near, first, after, sizes, centres, group, own, other, have, False)
            if best[0] < 0:
                break
            _carry_out(X, best, group, first, after, sizes, labels, centres, changed)
            have += 1
            if best[1] >= 0:
                own[unit[best[1]]] -= 1
            own[unit[best[0]]] += 1
        _count(first, after, unit, group, own, -1)
        if have < k:
            _dissolve(X, near, group, first, after, sizes, labels, centres, changed)
    for _ in range(_PASSES):
        moved = False
        for group in range(groups):
            if changed[group] and sizes[group] > 0:
                have = _count(first, after, unit, group, own, 1)
                best = _best(X, unit, k, near, first, after, sizes, centres, group, own, other, have, True)
                _count(first, after, unit, group, own, -1)
                if best[0] >= 0:
                    _carry_out(X, best, group, first, after, sizes, labels, centres, changed)
                    moved = True
        if not moved:
            break


@inner_kernel
def _count(first: Integers, after: Integers, unit: Integers, group: Scalar, counts: Integers, step: Scalar) -> Scalar:
    """Add the records of a group to the counts by unit, or take them out; return how many units there are."""
    different = 0
    record = first[group]
    while record >= 0:
        if counts[unit[record]] == 0:
            different += 1
        counts[unit[record]] += step
        record = after[record]
    return different


@inner_kernel
def _best(
    X: Doubles,
    unit: Integers,
    k: Scalar,
    near: Integers,
    first: Integers,
    after: Integers,
    sizes: Integers,
    centres: Doubles,
    group: Scalar,
    own: Integers,
    other: Integers,
    have: Scalar,
    improving: Scalar,
) -> tuple[Scalar, Scalar, Scalar]:
    """Return the record to take in, the record to give for it (-1 for none) and the group it is taken from.

    While a group lacks units it has to gain one; while it is being improved, the squared error has to fall.
    """
    nothing: Scalar = -1
    taken, given, source = nothing, nothing, nothing
    least = np.inf
    if improving:
        least = 0.0
    for place in range(near.shape[1]):
        giver = near[group, place]
        if giver == group or sizes[giver] == 0:
            continue
        there = _count(first, after, unit, giver, other, 1)
        looked_at = 0
        record = first[giver]
        while record >= 0 and looked_at < _MOST_LOOKED_AT:
            looked_at += 1
            new = own[unit[record]] == 0
            left = there - (other[unit[record]] == 1)
            to_own, to_other = squared_distance(X, record, centres[group]), squared_distance(X, record, centres[giver])
            if (new or improving) and left >= min(there, k):
                size, rest = sizes[group], sizes[giver]
                change = size / (size + 1) * to_own - rest / (rest - 1) * to_other
                if _is_less(change, least, to_own + to_other, improving):
                    taken, given, source, least = record, -1, giver, change
            mate = first[group]
            offered = 0
            while mate >= 0 and offered < _MOST_LOOKED_AT:
                offered += 1
                same = unit[mate] == unit[record]
                lost = own[unit[mate]] == 1 and not same
                have_then = have - lost + (new and not same)
                there_then = left + (other[unit[mate]] == 0 or (same and other[unit[mate]] == 1))
                fits = have_then > have and there_then >= min(there, k)
                if improving:
                    fits = have_then >= k and there_then >= k
                if fits:
                    mate_own = squared_distance(X, mate, centres[group])
                    mate_other = squared_distance(X, mate, centres[giver])
                    apart = squared_distance(X, record, X[mate])
                    change = (to_own - mate_own) + (mate_other - to_other)
                    change -= apart / sizes[group] + apart / sizes[giver]
                    if _is_less(change, least, to_own + to_other + mate_own + mate_other, improving):
                        taken, given, source, least = record, mate, giver, change
                mate = after[mate]
            record = after[record]
        _count(first, after, unit, giver, other, -1)
    return taken, given, source


@inner_kernel
def _is_less(change: Scalar, least: Scalar, size: Scalar, improving: Scalar) -> Scalar:
    """Whether a change is less than the least so far; what may be rounding is no improvement."""
    return change < least and (not improving or change < -1e-9 * size)


@inner_kernel
def _carry_out(
    X: Doubles,
    step: tuple[Scalar, Scalar, Scalar],
    group: Scalar,
    first: Integers,
    after: Integers,
    sizes: Integers,
    labels: Integers,
    centres: Doubles,
    changed: Booleans,
) -> None:
    taken, given, source = step
    _leave(taken, source, first, after, sizes)
    _enter(taken, group, first, after, sizes, labels)
    if given >= 0:
        _leave(given, group, first, after, sizes)
        _enter(given, source, first, after, sizes, labels)
    _recentre(X, group, first, after, sizes, centres)
    _recentre(X, source, first, after, sizes, centres)
    changed[group] = True
    changed[source] = True


@inner_kernel
def _leave(record: Scalar, group: Scalar, first: Integers, after: Integers, sizes: Integers) -> None:
    if first[group] == record:
        first[group] = after[record]
    else:
        before = first[group]
        while after[before] != record:
            before = after[before]
        after[before] = after[record]
    sizes[group] -= 1


@inner_kernel
def _enter(record: Scalar, group: Scalar, first: Integers, after: Integers, sizes: Integers, labels: Integers) -> None:
    after[record] = first[group]
    first[group] = record
    sizes[group] += 1
    labels[record] = group


@inner_kernel
def _recentre(X: Doubles, group: Scalar, first: Integers, after: Integers, sizes: Integers, centres: Doubles) -> None:
    for column in range(X.shape[1]):
        total = 0.0
        record = first[group]
        while record >= 0:
            total += X[record, column]
            record = after[record]
        centres[group, column] = total / sizes[group]


@inner_kernel
def _dissolve(
    X: Doubles,
    near: Integers,
    group: Scalar,
    first: Integers,
    after: Integers,
    sizes: Integers,
    labels: Integers,
    centres: Doubles,
    changed: Booleans,
) -> None:
    """Give every record of a group to the nearest of the near groups, or of all where none of these is left."""
    left = False
    for place in range(near.shape[1]):
        left = left or (near[group, place] != group and sizes[near[group, place]] > 0)
    record = first[group]
    first[group] = -1
    sizes[group] = 0
    while record >= 0:
        following = after[record]
        nearest, least = -1, np.inf
        for place in range(near.shape[1] if left else centres.shape[0]):
            candidate = near[group, place] if left else place
            if candidate != group and sizes[candidate] > 0:
                distance = squared_distance(X, record, centres[candidate])
                if nearest < 0 or distance < least:
                    nearest, least = candidate, distance
        _enter(record, nearest, first, after, sizes, labels)
        changed[nearest] = True
        record = following
    for place in range(near.shape[1] if left else centres.shape[0]):
        candidate = near[group, place] if left else place
        if sizes[candidate] > 0:
            _recentre(X, candidate, first, after, sizes, centres)
