"""MDAV in plain Python, written from its definition to be obviously right: every record, every time."""

from __future__ import annotations

import math
from collections.abc import Sequence

Record = Sequence[float]


def squared_distance(a: Record, b: Record) -> float:
    total = 0.0
    for x, y in zip(a, b, strict=True):
        total += (x - y) * (x - y)
    return total


def mean(records: list[Record]) -> Record:
    return [math.fsum(column) / len(records) for column in zip(*records, strict=True)]


def mixed_distance(a: Record, b: Record, distance: str, nominal: Sequence[int]) -> float:
    total, common = 0.0, 0
    for j, (x, y) in enumerate(zip(a, b, strict=True)):
        if math.isnan(x) or math.isnan(y):
            continue
        common += 1
        if j in nominal:
            total += 0.0 if x == y else 1.0
        elif distance == "euclidean":
            total += (x - y) * (x - y)
        else:
            total += abs(x - y)
    return total * (len(a) / common) if common else math.inf


def mixed_mean(records: list[Record], nominal: Sequence[int]) -> Record:
    centroid = []
    for j, column in enumerate(zip(*records, strict=True)):
        observed = [x for x in column if not math.isnan(x)]
        if not observed:
            centroid.append(math.nan)
        elif j in nominal:
            centroid.append(min(observed, key=lambda code: (-observed.count(code), code)))
        else:
            centroid.append(math.fsum(observed) / len(observed))
    return centroid


def brute_force_mdav(X, k, variant="classic", distance=squared_distance, mean=mean) -> list[int]:
    """Return the labels of MDAV, groups numbered in the order they are made."""
    records = [[float(x) for x in record] for record in X]
    left = list(range(len(records)))
    groups: list[list[int]] = []

    def farthest_from(point: Record) -> int:
        return min(left, key=lambda i: (-distance(records[i], point), i))

    def farthest_from_centroid() -> int:
        return farthest_from(mean([records[i] for i in left]))

    def make_group_round(point: Record) -> None:
        group = sorted(left, key=lambda i: (distance(records[i], point), i))[:k]
        groups.append(group)
        for i in group:
            left.remove(i)

    while len(left) >= (3 * k if variant == "classic" else 2 * k):
        r = farthest_from_centroid()
        s = farthest_from(records[r])
        make_group_round(records[r])
        make_group_round(records[s])
    if variant != "thesis" and len(left) >= (2 * k if variant == "classic" else k):
        make_group_round(records[farthest_from_centroid()])
    if variant == "classic" or (variant == "thesis" and len(left) >= k):
        if left:
            groups.append(left)
    else:
        centroids = [mean([records[i] for i in group]) for group in groups]
        nearest = [min(range(len(groups)), key=lambda g: (distance(centroids[g], records[i]), g)) for i in left]
        for i, g in zip(left, nearest, strict=True):
            groups[g].append(i)

    labels = [-1] * len(records)
    for g, group in enumerate(groups):
        for i in group:
            labels[i] = g
    return labels
