"""The merging of hierarchical agglomerative clustering under a cap on the size of clusters.

A cluster remembers the closest *older* cluster that fits. As a merge makes a new cluster, the newest, whatever else
there is keeps its size and its distances to what is older: what it remembers holds until that very cluster is merged,
and even then it is a bound from below. So a cluster looks anew only when its bound is the least of all. With a
partner among all clusters, newer ones too, a priority would let every cluster point at the one that is growing, and
all would have to look anew each time one is full (90 times as long for 5,000 records).

Where many clusters are equally close, the partner is the oldest of them, and all may point at the same one. When it is
gone, the next as close can only be newer: a cluster looks on from where its partner was and stops at the first that is
as close. So it passes the others once for every distance it comes to, however many are at that distance.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, inner_kernel, kernel


@inner_kernel
def edits_between(one: Integers, other: Integers, row: Integers) -> Scalar:
    """Return how many characters have to be inserted, deleted or replaced to make one text of another.

    `row` is room for one number more than `other` has characters: after i characters of `one`, the distances from
    them to every beginning of `other`.
    """
    for j in range(other.shape[0] + 1):
        row[j] = j
    for i in range(one.shape[0]):
        diagonal = row[0]
        row[0] = i + 1
        for j in range(other.shape[0]):
            replaced = diagonal + (one[i] != other[j])
            diagonal = row[j + 1]
            row[j + 1] = min(replaced, min(diagonal, row[j]) + 1)
    return row[other.shape[0]]


@kernel
def fill_text_distances(characters: Integers, starts: Integers, matrix: Doubles) -> None:
    """Fill `matrix` with the distances of all pairs of texts, each divided by the length of the longer one.

    Text i is ``characters[starts[i]:starts[i + 1]]``.
    """
    longest = 0
    for i in range(starts.shape[0] - 1):
        longest = max(longest, starts[i + 1] - starts[i])
    row = np.empty(longest + 1, np.int64)
    for i in range(starts.shape[0] - 1):
        matrix[i, i] = 0.0
        one = characters[starts[i] : starts[i + 1]]
        for j in range(i):
            other = characters[starts[j] : starts[j + 1]]
            edits = edits_between(one, other, row)
            matrix[i, j] = matrix[j, i] = edits / max(one.shape[0], other.shape[0], 1)


# Distances between records. GIVEN: a record is the row of its distances to all records, and after them its own place.
EUCLIDEAN, SQUARED_EUCLIDEAN, MANHATTAN, CHEBYSHEV, HAMMING, GIVEN = range(6)

WITHOUT_MEANS = (HAMMING, GIVEN)

# Linkages. MIDDLE is the distance of centroids. SHARES is the same for records without means: of nominal codes, half
# the squared distance of the clusters' shares of every code.
SINGLE, COMPLETE, AVERAGE, MIDDLE, SHARES, ENERGY = range(6)


class Clusters(NamedTuple):
    """The clusters there are; kernels change them in place. A cluster is named after its first record."""

    between: Doubles  # n x n: least (single), largest (complete), central (middle), else total distance
    within: Doubles  # n: total distance of the pairs inside
    total: Doubles  # n x d: sum of the records
    size: Integers  # n: 0 for a cluster that has gone into another
    age: Integers  # n: when the cluster came to be; the records first, in order
    went_into: Integers  # n: the cluster it has gone into, or itself
    partner: Integers  # n: the older cluster it would best be merged with, -1 if it fits with none
    partner_age: Integers  # n: when `partner` came to be; if that is not its age now, it is gone
    bound: Doubles  # n: how close `partner` is or was; no older cluster is closer. Infinite if it fits with none
    in_line: Integers  # n: the clusters that have room, the oldest first
    length: Integers  # one number: how many are in line
    children: Integers  # n - 1 x 2: when the two clusters of every merge came to be, the older first
    heights: Doubles  # n - 1: how far apart they were


@inner_kernel
def distance(a: Doubles, b: Doubles, kind: Scalar) -> Scalar:
    """Return the distance of two points, summed over the columns from left to right."""
    if kind == GIVEN:
        return a[int(b[-1])]
    total = 0.0
    for j in range(a.shape[0]):
        difference = abs(a[j] - b[j])
        if kind <= SQUARED_EUCLIDEAN:
            total += difference * difference
        elif kind == MANHATTAN:
            total += difference
        elif kind == CHEBYSHEV:
            total = max(total, difference)
        elif difference != 0.0:
            total += 1.0
    return math.sqrt(total) if kind == EUCLIDEAN else total


@kernel
def fill_distances(X: Doubles, kind: Scalar, matrix: Doubles) -> None:
    """Fill `matrix` with the distances of all pairs of records."""
    n = X.shape[0]
    for i in range(n):
        matrix[i, i] = 0.0
        for j in range(i):
            matrix[i, j] = matrix[j, i] = distance(X[i], X[j], kind)


@inner_kernel
def apart(value: Scalar, size_a: Scalar, size_b: Scalar, within_a: Scalar, within_b: Scalar, linkage: Scalar) -> Scalar:
    """Return the linkage of two clusters, how far apart they are."""
    if linkage >= AVERAGE and linkage != MIDDLE:
        value /= size_a * size_b
        if linkage != AVERAGE:
            inside = within_a / (size_a * size_a) + within_b / (size_b * size_b)
            value -= inside
            if linkage == ENERGY:
                value *= 2.0 * size_a * size_b / (size_a + size_b)
    return value


@inner_kernel
def look(
    clusters: Clusters, a: Scalar, start: Scalar, end: Scalar, least: Scalar, linkage: Scalar, weight: Doubles
) -> tuple[Scalar, Scalar]:
    """Return which cluster in line from `start` to before `end` is best merged with `a`, and how close it is.

    It is the oldest of equals, or the first that is as close as `least`; -1 if none fits.
    """
    # Out of the tuple once: numba counts references each time, and the loop would take ten times as long.
    size, in_line, within, between = clusters.size, clusters.in_line, clusters.within, clusters.between
    room = weight.shape[0] - 1 - size[a]
    partner, best = -1, np.inf
    for place in range(start, end):
        b = in_line[place]
        if size[b] <= room:
            value = apart(between[a, b], size[a], size[b], within[a], within[b], linkage) / weight[size[a] + size[b]]
            if partner < 0 or value < best:
                best, partner = value, b
                if value <= least:
                    break
    return partner, best


@inner_kernel
def remember(clusters: Clusters, a: Scalar, partner: Scalar, bound: Scalar) -> None:
    """Note what `a` would best be merged with."""
    clusters.partner[a] = partner
    clusters.partner_age[a] = clusters.age[partner] if partner >= 0 else -1
    clusters.bound[a] = bound


@inner_kernel
def first_newer_than(clusters: Clusters, age: Scalar) -> Scalar:
    """Return the place in line of the oldest cluster that is newer than `age`."""
    low, high = 0, clusters.length[0]
    while low < high:
        middle = (low + high) // 2
        if clusters.age[clusters.in_line[middle]] > age:
            high = middle
        else:
            low = middle + 1
    return low


@inner_kernel
def look_on(clusters: Clusters, a: Scalar, place: Scalar, linkage: Scalar, weight: Doubles) -> None:
    """Find another partner for `a`, which is at `place` in line and whose partner is gone."""
    least = clusters.bound[a]
    start = first_newer_than(clusters, clusters.partner_age[a])
    partner, best = look(clusters, a, start, place, least, linkage, weight)
    if partner < 0 or best > least:
        older, best_of_older = look(clusters, a, 0, start, least, linkage, weight)
        if older >= 0 and (partner < 0 or best_of_older <= best):
            partner, best = older, best_of_older
    remember(clusters, a, partner, best)


@inner_kernel
def next_merge(clusters: Clusters, linkage: Scalar, weight: Doubles) -> Scalar:
    """Return the cluster to be merged with its partner, or -1 if nothing fits any more.

    Of equally close pairs it is the one with the oldest partner and, among those, the oldest cluster.
    """
    partner, partner_age, bound, age = clusters.partner, clusters.partner_age, clusters.bound, clusters.age
    in_line, length = clusters.in_line, clusters.length[0]
    while True:
        least = np.inf
        for place in range(length):
            least = min(least, bound[in_line[place]])
        if least == np.inf:
            return -1
        first = -1
        for place in range(length):
            a = in_line[place]
            if bound[a] == least:
                if age[partner[a]] != partner_age[a]:
                    look_on(clusters, a, place, linkage, weight)
                if bound[a] == least and (first < 0 or partner_age[a] < partner_age[first]):
                    first = a
        if first >= 0:
            return first


@inner_kernel
def note_merge(clusters: Clusters, a: Scalar, b: Scalar, linkage: Scalar, age: Scalar) -> None:
    """Note which clusters are merged into the one of this age, and how far apart they are."""
    size, within, ages = clusters.size, clusters.within, clusters.age
    merge = age - ages.shape[0]
    clusters.children[merge, 0], clusters.children[merge, 1] = min(ages[a], ages[b]), max(ages[a], ages[b])
    clusters.heights[merge] = apart(clusters.between[a, b], size[a], size[b], within[a], within[b], linkage)


@inner_kernel
def unite(clusters: Clusters, a: Scalar, b: Scalar, linkage: Scalar, kind: Scalar, age: Scalar) -> None:
    """Put the records of cluster `b` into `a`, take both out of the line, and update the distances to what is in it."""
    between, size, total, in_line = clusters.between, clusters.size, clusters.total, clusters.in_line
    size[a] += size[b]
    size[b] = 0
    clusters.age[a] = clusters.age[b] = age
    clusters.went_into[b] = a
    clusters.within[a] = (clusters.within[a] + clusters.within[b]) + between[a, b]
    if linkage == MIDDLE:
        centre, other = np.empty(total.shape[1]), np.empty(total.shape[1])
        for j in range(total.shape[1]):
            total[a, j] += total[b, j]
            centre[j] = total[a, j] / size[a]
    length = 0
    for place in range(clusters.length[0]):
        c = in_line[place]
        if c in (a, b):
            continue
        in_line[length] = c
        length += 1
        if linkage == SINGLE:
            value = min(between[a, c], between[b, c])
        elif linkage == COMPLETE:
            value = max(between[a, c], between[b, c])
        elif linkage == MIDDLE:
            for j in range(total.shape[1]):
                other[j] = total[c, j] / size[c]
            value = distance(centre, other, kind)
        else:
            value = between[a, c] + between[b, c]
        between[a, c] = between[c, a] = value
    clusters.length[0] = length


@kernel
def find_all_partners(clusters: Clusters, linkage: Scalar, weight: Doubles) -> None:
    """Find the best partner of every record."""
    for a in range(clusters.length[0]):
        partner, bound = look(clusters, a, 0, a, -np.inf, linkage, weight)
        remember(clusters, a, partner, bound)


@kernel
def merge(clusters: Clusters, linkage: Scalar, kind: Scalar, weight: Doubles, age: Scalar, pause: Scalar) -> Scalar:
    """Merge the closest two clusters that fit, again and again, until the age `pause` or until none fit.

    Linkages count over `weight[s]`, where s is the joint size; its last entry is that of the largest size allowed.
    Returns the age of the next cluster.
    """
    while age < pause:
        a = next_merge(clusters, linkage, weight)
        if a < 0:
            break
        b = clusters.partner[a]
        a, b = min(a, b), max(a, b)
        note_merge(clusters, a, b, linkage, age)
        unite(clusters, a, b, linkage, kind, age)
        if clusters.size[a] < weight.shape[0] - 1:
            length = clusters.length[0]
            partner, bound = look(clusters, a, 0, length, -np.inf, linkage, weight)
            remember(clusters, a, partner, bound)
            clusters.in_line[length] = a
            clusters.length[0] = length + 1
        age += 1
    return age


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
