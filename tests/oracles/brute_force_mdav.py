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


def gower_distance(a: Record, b: Record, nominal: Sequence[int]) -> float:
    total, common = 0.0, 0
    for j, (x, y) in enumerate(zip(a, b, strict=True)):
        if math.isnan(x) or math.isnan(y):
            continue
        common += 1
        total += float(x != y) if j in nominal else abs(x - y)
    return total * (len(a) / common) if common else math.inf


def gower_mean(records: list[Record], nominal: Sequence[int]) -> Record:
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


Embedded = list[list[float] | None]


def embedded_records(X, nominal: Sequence[int]) -> list[Embedded]:
    """Return for every record and variable a list of numbers, the indicators of a nominal one; None if missing."""
    columns = []
    for j, column in enumerate(zip(*X.tolist(), strict=True)):
        categories = sorted({x for x in column if not math.isnan(x)})
        columns.append(
            [
                None if math.isnan(x) else [float(x == category) for category in categories] if j in nominal else [x]
                for x in column
            ]
        )
    return [list(record) for record in zip(*columns, strict=True)]


def embedded_distance(a: Embedded, b: Embedded) -> float:
    total, common = 0.0, 0
    for x, y in zip(a, b, strict=True):
        if x is None or y is None:
            continue
        common += 1
        for one, other in zip(x, y, strict=True):
            total += (one - other) * (one - other)
    return total * (len(a) / common) if common else math.inf


def embedded_mean(records: list[Embedded]) -> Embedded:
    centroid: Embedded = []
    for variable in zip(*records, strict=True):
        observed = [numbers for numbers in variable if numbers is not None]
        columns = zip(*observed, strict=True)
        centroid.append([math.fsum(column) / len(observed) for column in columns] if observed else None)
    return centroid


def brute_force_mdav(X, k, variant="classic", distance=squared_distance, mean=mean) -> list[int]:
    """Return the labels of MDAV, groups numbered in the order they are made."""
    records = X if isinstance(X, list) else X.tolist()
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
