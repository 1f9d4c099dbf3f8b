"""t-close groups made record by record, as the papers say it; points are whole numbers, so that sums are exact."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from oracles.slow_closeness import slow_distance


def largest(rows: Sequence[int], columns: Sequence[Sequence[int | None]], ordered: Sequence[bool]) -> float:
    """Return the largest distance of some records to the file."""
    return max(0.0, *(distance(rows, column, has_order) for column, has_order in zip(columns, ordered, strict=True)))


def distance(rows: Sequence[int], column: Sequence[int | None], has_order: bool) -> float:
    """Return the distance of some records to the file in one variable; 0 where all are missing."""
    found = slow_distance([column[row] for row in rows], column, ordered=has_order)
    return 0.0 if found is None else float(found)


def merged(X, groups: list[list[int]], columns, ordered, t: float) -> list[list[int]]:
    """Merge the group that is farthest from the file with the nearest, the first of several, until all are close."""
    groups = [list(group) for group in groups]
    centres = [X[group].mean(axis=0) for group in groups]
    while len(groups) > 1:
        distances = [largest(group, columns, ordered) for group in groups]
        far = distances.index(max(distances))
        if distances[far] <= t:
            break
        others = [place for place in range(len(groups)) if place != far]
        near = min(others, key=lambda place: (squared(centres[place], centres[far]), place))
        one, two = sorted((far, near))
        sizes = len(groups[one]), len(groups[two])
        centres[one] = (sizes[0] * centres[one] + sizes[1] * centres[two]) / sum(sizes)
        groups[one] = groups[one] + groups[two]
        del groups[two], centres[two]
    return groups


def squared(one, other) -> float:
    """Return the squared distance of two points, summed from left to right."""
    total = 0.0
    for a, b in zip(one.tolist(), other.tolist(), strict=True):
        total += (a - b) * (a - b)
    return total


def seeds(X, left: set[int], first: int | None) -> int:
    """Return the record that is farthest from the mean of those left, or from the seed before it."""
    rows = sorted(left)
    point = X[rows].sum(axis=0) / len(rows) if first is None else X[first]
    return max(rows, key=lambda row: (squared(X[row], point), -row))


def exchanged(X, columns, ordered, k: int, t: float, most: int) -> list[list[int]]:
    """Make groups of k as MDAV does, each of which exchanges records with near ones until it is close."""

    def excess(rows: Sequence[int]) -> float:
        total = 0.0
        for column, has_order in zip(columns, ordered, strict=True):
            total += max(0.0, distance(rows, column, has_order) - t)
        return total

    left, groups, first = set(range(len(X))), [], None
    while len(left) >= 2 * k:
        seed = seeds(X, left, first)
        first = seed if first is None and len(left) >= 3 * k else None
        near = sorted(left, key=lambda row: (squared(X[row], X[seed]), row))[: k + most]
        group = near[:k]
        for newcomer in near[k:]:
            now = excess(group)
            if now == 0:
                break
            changed = [[newcomer if row == leaver else row for row in group] for leaver in group]
            best = min(changed, key=excess)
            if excess(best) < now:
                group = best
        groups.append(group)
        left -= set(group)
    return [*groups, sorted(left)]


def dealt(X, bucket: Sequence[int], asked) -> list[list[int]]:
    """Make groups as MDAV does, each of the nearest records of every bucket."""
    left, groups, first = set(range(len(X))), [], None
    for number, of_group in enumerate(np.asarray(asked).tolist()):
        seed = seeds(X, left, first if number % 2 else None)
        first = seed
        group: list[int] = []
        for own, wanted in enumerate(of_group):
            inside = [row for row in left if bucket[row] == own]
            group += sorted(inside, key=lambda row: (squared(X[row], X[seed]), row))[:wanted]
        groups.append(group)
        left -= set(group)
    return groups
