"""HAC in plain loops: every pair of clusters is looked at before every merge, every cost is summed from scratch.

Decisions are those of `shoal.partition.HAC` to the last bit where sums of distances are exact, as they are for records
of whole numbers, and of texts whose lengths are powers of two. Sums of Euclidean distances never are; they are taken in
the same order here, that of the merges.
"""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np

__all__ = ["slow_hac", "slow_merges", "textbook_levenshtein"]


class Cluster:
    def __init__(self, age, rows, parts=()):
        self.age, self.rows, self.parts = age, rows, parts

    def __len__(self):
        return len(self.rows)


def slow_hac(X, *, k, cap, linkage, distance, priority, completion):
    """Return the group of every record."""
    clusters, _ = slow_merges(X, k=k, cap=cap, linkage=linkage, distance=distance, priority=priority)
    groups = [sorted(cluster.rows) for cluster in clusters]
    records = as_records(X, distance)
    if cap == "none":
        groups = most_groups(clusters[0], k)
    elif completion == "thesis":
        groups = complete_as_in_the_thesis(groups, k)
    else:
        groups = complete_with_the_nearest(groups, k, squared(records, record_distance(X, distance), distance))
    labels = np.empty(len(records), dtype=np.int64)
    for number, rows in enumerate(sorted(groups, key=min)):
        labels[rows] = number
    return labels


def most_groups(cluster, k):
    """Return the most groups of at least k that a tree can be cut into, out of all ways to cut it; None if none is."""
    ways = [[cluster.rows]] if len(cluster) >= k else []
    if cluster.parts:
        one, other = (most_groups(part, k) for part in cluster.parts)
        if one and other:
            ways.append(one + other)
    return max(ways, key=len, default=None)


def as_records(X, distance):
    if distance == "levenshtein":
        return [tuple(row) for row in X]
    return [tuple(row) for row in np.asarray(X, dtype=float).tolist()]


def slow_merges(X, *, k, cap, linkage, distance, priority):
    """Return the clusters that are left, the oldest first, and every merge: the ages of the two, and their linkage."""
    records = as_records(X, distance)
    apart = cluster_distance(records, record_distance(X, distance), linkage, distance)
    largest = {"k": k, "2k-1": 2 * k - 1, "none": len(records)}[cap]
    merges = []
    clusters = [Cluster(row, [row]) for row in range(len(records))]  # the oldest first
    age = len(records)
    while True:
        fitting = [
            (apart(a, b) / float(len(a) + len(b)) ** priority, a.age, b.age, a, b)
            for a, b in itertools.combinations(clusters, 2)
            if len(a) + len(b) <= largest
        ]
        if not fitting:
            break
        *_, a, b = min(fitting, key=lambda pair: pair[:3])
        merges.append((a.age, b.age, apart(a, b)))
        clusters = [c for c in clusters if c is not a and c is not b]
        clusters.append(Cluster(age, a.rows + b.rows, (a, b)))
        age += 1
    return clusters, merges


def record_distance(X, distance):
    if distance == "mahalanobis":
        inverse = np.linalg.pinv(np.cov(np.transpose(X), ddof=1).reshape(np.shape(X)[1], -1))
        return lambda x, y: math.sqrt((np.subtract(x, y)) @ inverse @ (np.subtract(x, y)))
    return {
        "euclidean": lambda x, y: math.sqrt(sum((p - q) ** 2 for p, q in zip(x, y, strict=True))),
        "squared-euclidean": lambda x, y: sum((p - q) ** 2 for p, q in zip(x, y, strict=True)),
        "manhattan": lambda x, y: sum(abs(p - q) for p, q in zip(x, y, strict=True)),
        "chebyshev": lambda x, y: max(abs(p - q) for p, q in zip(x, y, strict=True)),
        "hamming": lambda x, y: sum(p != q for p, q in zip(x, y, strict=True)),
        "levenshtein": lambda x, y: sum(difference(p, q) for p, q in zip(x, y, strict=True)),
    }[distance]


def difference(p, q):
    """Return what one variable of mixed records adds: of texts, of truth values, of numbers."""
    if isinstance(p, str):
        return textbook_levenshtein(p, q) / max(len(p), len(q), 1)
    return float(p != q) if isinstance(p, bool) else abs(p - q)


@cache
def textbook_levenshtein(one, other):
    """Return the least number of characters to insert, delete or replace, from its recursive definition."""
    if not one or not other:
        return len(one) + len(other)
    return min(
        textbook_levenshtein(one[1:], other) + 1,
        textbook_levenshtein(one, other[1:]) + 1,
        textbook_levenshtein(one[1:], other[1:]) + (one[0] != other[0]),
    )


def cluster_distance(records, far, linkage, distance):
    @cache
    def total_between(a, b):
        if a.age < b.age:
            a, b = b, a
        if not a.parts:
            return far(records[a.rows[0]], records[b.rows[0]])
        return total_between(a.parts[0], b) + total_between(a.parts[1], b)

    @cache
    def total_within(a):
        return total_within(a.parts[0]) + total_within(a.parts[1]) + total_between(*a.parts) if a.parts else 0.0

    @cache
    def total(a):
        if not a.parts:
            return records[a.rows[0]]
        return tuple(p + q for p, q in zip(total(a.parts[0]), total(a.parts[1]), strict=True))

    def mean(a, b):
        return total_between(a, b) / (len(a) * len(b))

    def mean_beyond_inside(a, b):
        return mean(a, b) - (total_within(a) / len(a) ** 2 + total_within(b) / len(b) ** 2)

    if linkage == "centroid" and distance in ("hamming", "levenshtein"):
        return mean_beyond_inside
    return {
        "single": lambda a, b: min(far(records[i], records[j]) for i in a.rows for j in b.rows),
        "complete": lambda a, b: max(far(records[i], records[j]) for i in a.rows for j in b.rows),
        "average": mean,
        "centroid": lambda a, b: far([t / len(a) for t in total(a)], [t / len(b) for t in total(b)]),
        "minimum-energy": lambda a, b: mean_beyond_inside(a, b) * (2 * len(a) * len(b) / (len(a) + len(b))),
    }[linkage]


def squared(records, far, distance):
    def dissimilarity(i, j):
        if distance in ("squared-euclidean", "hamming", "levenshtein"):
            return far(records[i], records[j])
        if distance == "euclidean":
            return sum((p - q) ** 2 for p, q in zip(records[i], records[j], strict=True))
        return far(records[i], records[j]) ** 2

    return dissimilarity


def complete_as_in_the_thesis(groups, k):
    """`groups` are in the order they came to be, and stay so."""
    groups = [list(group) for group in groups]
    while min(len(group) for group in groups) < k:
        smallest = min(groups, key=len)  # the first of equals
        groups.remove(smallest)
        for row in smallest:
            receiver = min(groups, key=len)
            groups.remove(receiver)
            groups.append(sorted([*receiver, row]))
    return groups


def complete_with_the_nearest(groups, k, dissimilarity):
    def within(group):
        return sum(dissimilarity(i, j) for i, j in itertools.combinations(group, 2))

    def cost(group):
        return within(group) / len(group)

    def change_of_join(a, g):
        return cost(a + g) - cost(a) - cost(g)

    def joined(groups, a):
        targets = [g for g in groups if g != a and len(a) + len(g) <= 2 * k - 1]
        if not targets:
            return math.inf, None
        target = min(targets, key=lambda g: change_of_join(a, g))
        return change_of_join(a, target), [a + g if g == target else g for g in groups if g != a]

    def dissolved(groups, a):
        groups = [g for g in groups if g != a]
        change = -cost(a)
        for row in sorted(a):
            with_room = [g for g in groups if len(g) < 2 * k - 1]
            if not with_room:
                return math.inf, None
            target = min(with_room, key=lambda g: cost([*g, row]) - cost(g))
            change += cost([*target, row]) - cost(target)
            groups = [[*g, row] if g == target else g for g in groups]
        return change, groups

    def filled(groups, a):
        change = 0.0
        while len(a) < k:
            donors = {row: g for g in groups if len(g) > k for row in g}
            if not donors:
                return math.inf, None

            def change_of_move(row, a=a, donors=donors):
                g = donors[row]
                return (cost([*a, row]) - cost(a)) + (cost([i for i in g if i != row]) - cost(g))

            row = min(sorted(donors), key=change_of_move)
            change += change_of_move(row)
            donor, larger = donors[row], [*a, row]
            groups = [larger if g == a else [i for i in g if i != row] if g == donor else g for g in groups]
            a = larger
        return change, groups

    while min(len(group) for group in groups) < k:
        smallest = min(reversed(groups), key=len)  # the newest of equals
        plans = [plan(groups, smallest) for plan in (joined, dissolved, filled)]
        _, groups = min(plans, key=lambda plan: plan[0])  # the first of equals
    return groups
