"""The merging of hierarchical agglomerative clustering under a cap on the size of clusters.

A cluster remembers the closest *older* cluster that fits. As a merge makes a new cluster, the newest, whatever else
there is keeps its size and its distances to what is older: what it remembers holds until that very cluster is merged,
and even then it is a bound from below. So a cluster looks anew only when its bound is the least of all. With a
partner among all clusters, newer ones too, a priority would let every cluster point at the one that is growing, and
all would have to look anew each time one is full (262 s instead of 3 s for 5,000 records).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from shoal.partition.compiled import Booleans, Doubles, Integers, Scalar, inner_kernel, kernel

# Distances between records.
EUCLIDEAN, SQUARED_EUCLIDEAN, MANHATTAN, CHEBYSHEV, HAMMING = range(5)
# Linkages. MIDDLE is the distance of centroids, SHARES what that is for nominal codes: half the squared distance of
# the clusters' shares of every code.
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
    bound: Doubles  # n: how close `partner` is
    is_stale: Booleans  # n: `partner` is gone; no older cluster is closer than `bound`


@inner_kernel
def distance(a: Doubles, b: Doubles, kind: Scalar) -> Scalar:
    """Return the distance of two points, summed over the columns from left to right."""
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
def closeness(clusters: Clusters, a: Scalar, b: Scalar, linkage: Scalar, weight: Doubles) -> Scalar:
    """Return what the merge of two clusters is chosen by: their linkage over the weight of their joint size."""
    size_a, size_b = clusters.size[a], clusters.size[b]
    value = clusters.between[a, b]
    if linkage >= AVERAGE and linkage != MIDDLE:
        value /= size_a * size_b
        if linkage != AVERAGE:
            inside = clusters.within[a] / (size_a * size_a) + clusters.within[b] / (size_b * size_b)
            value -= inside
            if linkage == ENERGY:
                value *= 2.0 * size_a * size_b / (size_a + size_b)
    return value / weight[size_a + size_b]


@inner_kernel
def find_partner(clusters: Clusters, a: Scalar, linkage: Scalar, weight: Doubles) -> None:
    """Look for the older cluster that `a` would best be merged with, the oldest of equals."""
    size, age = clusters.size, clusters.age
    room = weight.shape[0] - 1 - size[a]
    partner = -1
    best = np.inf
    for b in range(size.shape[0]):
        if 0 < size[b] <= room and age[b] < age[a]:
            value = closeness(clusters, a, b, linkage, weight)
            if partner < 0 or value < best or (value == best and age[b] < age[partner]):
                best, partner = value, b
    clusters.partner[a] = partner
    clusters.bound[a] = best
    clusters.is_stale[a] = False


@inner_kernel
def next_merge(clusters: Clusters, linkage: Scalar, weight: Doubles) -> Scalar:
    """Return the cluster to be merged with its partner, or -1 if nothing fits any more.

    Of equally close pairs it is the one with the oldest partner and, among those, the oldest cluster.
    """
    partner, bound, is_stale, age = clusters.partner, clusters.bound, clusters.is_stale, clusters.age
    while True:
        first = -1
        for a in range(partner.shape[0]):
            if partner[a] < 0:
                continue
            comes_first = first < 0 or bound[a] < bound[first]
            if not comes_first and bound[a] == bound[first] and not is_stale[first]:
                older = age[partner[a]] - age[partner[first]]
                comes_first = is_stale[a] or older < 0 or (older == 0 and age[a] < age[first])
            if comes_first:
                first = a
        if first < 0 or not is_stale[first]:
            return first
        find_partner(clusters, first, linkage, weight)


@inner_kernel
def unite(clusters: Clusters, a: Scalar, b: Scalar, linkage: Scalar, kind: Scalar, age: Scalar) -> None:
    """Put the records of cluster `b` into `a` and update the distances."""
    between, size, total = clusters.between, clusters.size, clusters.total
    size[a] += size[b]
    size[b] = 0
    clusters.age[a] = age
    clusters.went_into[b] = a
    clusters.partner[b] = -1
    clusters.within[a] = (clusters.within[a] + clusters.within[b]) + between[a, b]
    if linkage == MIDDLE:
        centre, other = np.empty(total.shape[1]), np.empty(total.shape[1])
        for j in range(total.shape[1]):
            total[a, j] += total[b, j]
            centre[j] = total[a, j] / size[a]
    for c in range(size.shape[0]):
        if size[c] == 0 or c == a:
            continue
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


@kernel
def find_all_partners(clusters: Clusters, linkage: Scalar, weight: Doubles) -> None:
    """Find the best partner of every cluster."""
    for a in range(clusters.size.shape[0]):
        find_partner(clusters, a, linkage, weight)


@kernel
def merge(clusters: Clusters, linkage: Scalar, kind: Scalar, weight: Doubles, age: Scalar, pause: Scalar) -> Scalar:
    """Merge the closest two clusters that fit, again and again, until the age `pause` or until none fit.

    `weight[s]` is the weight of the joint size s; its last entry is that of the largest size allowed. Returns the
    age of the next cluster.
    """
    while age < pause:
        a = next_merge(clusters, linkage, weight)
        if a < 0:
            break
        b = clusters.partner[a]
        a, b = min(a, b), max(a, b)
        unite(clusters, a, b, linkage, kind, age)
        for c in range(clusters.partner.shape[0]):
            if clusters.partner[c] == a or clusters.partner[c] == b:
                clusters.is_stale[c] = True
        find_partner(clusters, a, linkage, weight)
        age += 1
    return age
