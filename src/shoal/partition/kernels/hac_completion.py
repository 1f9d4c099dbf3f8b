"""The completion of clusters smaller than k by distance.

A step takes one cluster and plans, each on a copy of the groups, what could be done with it: `join`, `dissolve`,
`fill_up`. The cheapest plan is carried out. One of the three can always be done: two clusters smaller than k can be
joined; and if there is one beside g groups of k to 2k-1, either n >= (g+1)k and those have records to spare, or
n < (g+1)k <= g(2k-1) and they have room (for g = 1 too, as n <= 2k-1 then).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, inner_kernel, kernel
from shoal.partition.kernels.hac import CHEBYSHEV, EUCLIDEAN, MANHATTAN, SQUARED_EUCLIDEAN, distance


class GroupCosts(NamedTuple):
    """The groups and what they cost, `within` over `size` each; kernels change them in place."""

    of: Integers  # n: the group of every record
    size: Integers  # g: 0 for a group that is gone
    within: Doubles  # g: sum of the dissimilarities between the records of the group
    own: Doubles  # n: sum of the dissimilarities between the record and the others of its group


@inner_kernel
def dissimilarity(a: Doubles, b: Doubles, kind: Scalar) -> Scalar:
    """Return the squared distance of two records; distances that are sums of squares already stay as they are."""
    value = distance(a, b, SQUARED_EUCLIDEAN if kind == EUCLIDEAN else kind)
    return value * value if kind in (MANHATTAN, CHEBYSHEV) else value


@inner_kernel
def sum_within(X: Doubles, kind: Scalar, groups: GroupCosts, g: Scalar) -> None:
    """Bring the sums of one group up to date."""
    members = np.flatnonzero(groups.of == g)
    groups.size[g] = members.shape[0]
    groups.within[g] = 0.0
    for i in members:
        groups.own[i] = 0.0
    for p in range(members.shape[0]):
        i = members[p]
        for q in range(p):
            j = members[q]
            apart = dissimilarity(X[i], X[j], kind)
            groups.own[i] += apart
            groups.own[j] += apart
            groups.within[g] += apart


@inner_kernel
def dissimilarities_of(X: Doubles, kind: Scalar, groups: GroupCosts, members: Integers) -> tuple[Doubles, Doubles]:
    """Return the sums of dissimilarities of each of `members` to every group, and of all of them to every record."""
    to_groups = np.zeros((members.shape[0], groups.size.shape[0]))
    to_records = np.zeros(X.shape[0])
    for p in range(members.shape[0]):
        for j in range(X.shape[0]):
            apart = dissimilarity(X[members[p]], X[j], kind)
            to_groups[p, groups.of[j]] += apart
            to_records[j] += apart
    return to_groups, to_records


@inner_kernel
def join(groups: GroupCosts, a: Scalar, members: Integers, apart_from: Doubles, most: Scalar, plan: Integers) -> Scalar:
    """Plan to put group `a` into the group where that costs least; return the change in cost."""
    size, within = groups.size, groups.within
    least, target = np.inf, -1
    for g in range(size.shape[0]):
        if g == a or size[g] == 0 or size[g] + size[a] > most:
            continue
        across = 0.0
        for p in range(members.shape[0]):
            across += apart_from[p, g]
        together = (within[a] + within[g] + across) / (size[a] + size[g])
        change = together - within[a] / size[a] - within[g] / size[g]
        if target < 0 or change < least:
            least, target = change, g
    plan[members] = target
    return least


@inner_kernel
def dissolve(
    X: Doubles,
    kind: Scalar,
    groups: GroupCosts,
    a: Scalar,
    members: Integers,
    apart_from: Doubles,
    most: Scalar,
    plan: Integers,
) -> Scalar:
    """Plan to give the records of group `a`, in order, each to the group where it costs least."""
    size, within = groups.size.copy(), groups.within.copy()
    apart_from = apart_from.copy()
    change = -within[a] / size[a]
    for p in range(members.shape[0]):
        least, target = np.inf, -1
        for g in range(size.shape[0]):
            if g == a or size[g] == 0 or size[g] >= most:
                continue
            cost = (within[g] + apart_from[p, g]) / (size[g] + 1) - within[g] / size[g]
            if target < 0 or cost < least:
                least, target = cost, g
        if target < 0:
            return np.inf
        change += least
        within[target] += apart_from[p, target]
        size[target] += 1
        plan[members[p]] = target
        for q in range(p + 1, members.shape[0]):
            apart_from[q, target] += dissimilarity(X[members[q]], X[members[p]], kind)
    return change


@inner_kernel
def fill_up(
    X: Doubles, kind: Scalar, groups: GroupCosts, a: Scalar, apart_from: Doubles, k: Scalar, plan: Integers
) -> Scalar:
    """Plan to take records for group `a`, one after the other, out of groups larger than k."""
    size, within, own = groups.size.copy(), groups.within.copy(), groups.own.copy()
    n = X.shape[0]
    apart_from = apart_from.copy()
    change = 0.0
    while size[a] < k:
        least, chosen = np.inf, -1
        for i in range(n):
            g = plan[i]
            if size[g] <= k:
                continue
            here = (within[a] + apart_from[i]) / (size[a] + 1) - within[a] / size[a]
            there = (within[g] - own[i]) / (size[g] - 1) - within[g] / size[g]
            if chosen < 0 or here + there < least:
                least, chosen = here + there, i
        if chosen < 0:
            return np.inf
        donor = plan[chosen]
        change += least
        within[a] += apart_from[chosen]
        within[donor] -= own[chosen]
        size[a] += 1
        size[donor] -= 1
        plan[chosen] = a
        for i in range(n):
            apart = dissimilarity(X[i], X[chosen], kind)
            apart_from[i] += apart
            if plan[i] == donor:
                own[i] -= apart
    return change


@inner_kernel
def smallest(size: Integers) -> Scalar:
    """Return the last of the smallest groups: the newest are the ones that were hardest to merge."""
    last = -1
    for g in range(size.shape[0]):
        if size[g] > 0 and (last < 0 or size[g] <= size[last]):
            last = g
    return last


@inner_kernel
def move_records(X: Doubles, kind: Scalar, groups: GroupCosts, plan: Integers) -> None:
    """Move every record to the group it has in `plan`."""
    is_changed = np.zeros(groups.size.shape[0], np.bool_)
    for i in range(plan.shape[0]):
        if plan[i] != groups.of[i]:
            is_changed[plan[i]] = True
            is_changed[groups.of[i]] = True
            groups.of[i] = plan[i]
    for g in range(is_changed.shape[0]):
        if is_changed[g]:
            sum_within(X, kind, groups, g)


@kernel
def complete(X: Doubles, kind: Scalar, groups: GroupCosts, k: Scalar) -> None:
    """Do what costs least with the smallest group, again and again, until all groups have k to 2k-1 records."""
    most = 2 * k - 1
    for g in range(groups.size.shape[0]):
        sum_within(X, kind, groups, g)
    while True:
        a = smallest(groups.size)
        if groups.size[a] >= k:
            return
        members = np.flatnonzero(groups.of == a)
        to_groups, to_records = dissimilarities_of(X, kind, groups, members)
        plan = groups.of.copy()
        least = join(groups, a, members, to_groups, most, plan)
        other = groups.of.copy()
        change = dissolve(X, kind, groups, a, members, to_groups, most, other)
        if change < least:
            least, plan = change, other
        other = groups.of.copy()
        change = fill_up(X, kind, groups, a, to_records, k, other)
        if change < least:
            plan = other
        move_records(X, kind, groups, plan)
