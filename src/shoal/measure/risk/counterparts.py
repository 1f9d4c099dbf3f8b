"""Searches for the counterparts of records: whether the true one is nearest, and how many are equally near."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from shoal.progress import advance

__all__ = [
    "as_near",
    "distinct_records",
    "search_by_tree",
    "search_in_blocks",
    "search_through",
    "squared_distances",
    "width",
]

Doubles = NDArray[np.float64]
Counts = NDArray[np.int64]

# A record is among the nearest if its squared distance is within this factor and addition of the smallest.
_RELATIVE = 1 + 1e-9
_ABSOLUTE = 1e-12
_AT_ONCE = 50_000  # distances: few enough to stay in the cache
_TASKS = 64
_LEAST_A_TASK = 500
_WIDEST = 256  # columns, with an indicator of every category, beyond which a tree is slower than all pairs


def search_through(sought: Doubles, true: Doubles, searched: Doubles, numbers: int) -> Counts:
    """Return, for every record sought, how many records are as near as the true one, if none is nearer.

    Parameters
    ----------
    sought
        The records to look for.
    true
        Their counterparts in the other file, row by row.
    searched
        All records of the other file.
    numbers
        How many columns, the first ones, hold numbers. The others are categories, which add 2 to a squared distance
        where they differ: the squared distance of their indicators.

    Returns
    -------
    array of int
        0 where another record is nearer than the true one.
    """
    points, counts = distinct_records(searched)
    ties = np.zeros(len(sought), dtype=np.int64)
    at_once = max(1, _AT_ONCE // len(points))
    for start in range(0, len(sought), at_once):
        rows = np.arange(start, min(start + at_once, len(sought)))
        distances = squared_distances(sought[rows, :, np.newaxis], points, numbers)
        reach = distances.min(axis=1) * _RELATIVE + _ABSOLUTE
        is_nearest = squared_distances(sought[rows], true[rows], numbers) <= reach
        ties[rows[is_nearest]] = (distances[is_nearest] <= reach[is_nearest, np.newaxis]) @ counts
        advance(len(rows) / len(sought))
    return ties


def search_in_blocks(sought: Doubles, true: Doubles, searched: Doubles, numbers: int) -> Counts:
    """Return what `search_through` does, compiled and in several threads."""
    # Deferred: numba takes a second to import.
    from shoal.partition.kernels.record_linkage import LINKAGE_BLOCK, count_ties

    points, counts = distinct_records(searched)
    blocks = -(-len(points) // LINKAGE_BLOCK)
    place = np.arange(blocks * LINKAGE_BLOCK)
    weights = np.where(place < len(points), counts[place % len(points)], 0).reshape(blocks, LINKAGE_BLOCK)
    side_by_side = points[place % len(points)].reshape(blocks, LINKAGE_BLOCK, -1).transpose(0, 2, 1).copy()
    to_true = squared_distances(sought, true, numbers)

    def search(rows: slice) -> Counts:
        ties = np.empty(len(sought[rows]), dtype=np.int64)
        count_ties(sought[rows], to_true[rows], numbers, side_by_side, weights, _RELATIVE, _ABSOLUTE, ties)
        return ties

    return _in_threads(search, len(sought))


def search_by_tree(sought: Doubles, true: Doubles, searched: Doubles, numbers: int) -> Counts:
    """Return what `search_through` does, by the tree of `shoal.partition.geometry`: where `width` is not large."""
    from shoal.partition.geometry.tree import plant
    from shoal.partition.kernels.record_linkage import count_ties_by_tree

    points, counts = distinct_records(searched)
    to_true = squared_distances(sought, true, numbers)
    sought, points = _embedded(sought, points, numbers)
    tree = plant(points, np.arange(len(points), dtype=np.int32))

    def search(part: slice) -> Counts:
        ties = np.empty(len(sought[part]), dtype=np.int64)
        count_ties_by_tree(tree, points, counts, sought[part], to_true[part], _RELATIVE, _ABSOLUTE, ties)
        return ties

    return _in_threads(search, len(sought))


def as_near(sought: Doubles, to_true: Doubles, searched: Doubles, numbers: int) -> Counts:
    """Return, for every record sought, how many of some records are as near as the true one, -1 where one is nearer.

    Parameters
    ----------
    sought, numbers
        As in `search_through`.
    to_true
        The squared distances to the true ones, which need not be among those that are searched.
    searched
        Some records of the other file: added over its parts, the counts are those of the whole.
    """
    from shoal.partition.geometry.tree import plant
    from shoal.partition.kernels.record_linkage import count_as_near_by_tree

    points, counts = distinct_records(searched)
    found = np.empty(len(sought), dtype=np.int64)
    if width(points, numbers) <= _WIDEST:
        before, after = _embedded(sought, points, numbers)
        tree = plant(after, np.arange(len(after), dtype=np.int32))
        count_as_near_by_tree(tree, after, counts, before, to_true, _RELATIVE, _ABSOLUTE, found)
        return found
    at_once = max(1, _AT_ONCE // len(points))
    for start in range(0, len(sought), at_once):
        rows = slice(start, start + at_once)
        distances = squared_distances(sought[rows, :, np.newaxis], points, numbers)
        is_nearer = (distances * _RELATIVE + _ABSOLUTE < to_true[rows, np.newaxis]).any(axis=1)
        ties = (distances <= to_true[rows, np.newaxis] * _RELATIVE + _ABSOLUTE) @ counts
        found[rows] = np.where(is_nearer, -1, ties)
    return found


def width(searched: Doubles, numbers: int) -> int:
    """Return how many columns records have in a tree: an indicator of every category, and one of all others."""
    return numbers + sum(len(np.unique(column)) + 1 for column in searched[:, numbers:].T)


def _embedded(sought: Doubles, points: Doubles, numbers: int) -> tuple[Doubles, Doubles]:
    """Return both with an indicator of every category of `points` in place of the codes, and one of all others."""
    before, after = [sought[:, :numbers]], [points[:, :numbers]]
    for own, found in zip(sought[:, numbers:].T, points[:, numbers:].T, strict=True):
        codes = np.unique(found)
        is_own = own[:, np.newaxis] == codes
        before += [is_own, ~is_own.any(axis=1, keepdims=True)]
        after += [found[:, np.newaxis] == codes, np.zeros((len(points), 1))]
    return np.hstack(before, dtype=np.float64), np.hstack(after, dtype=np.float64)


def _in_threads(search: Callable[[slice], Counts], records: int) -> Counts:
    """Search for all records, in parts; this counts for the whole of the work."""
    at_once = max(_LEAST_A_TASK, -(-records // _TASKS))
    found = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for ties in pool.map(search, (slice(start, start + at_once) for start in range(0, records, at_once))):
            found.append(ties)
            advance(len(ties) / records)
    return np.concatenate(found)


def distinct_records(X: Doubles) -> tuple[Doubles, Counts]:
    """Return the distinct rows of `X` and how often each occurs.

    Rows are sorted by a hash of their values. Two different rows with the same hash may leave another row listed
    twice, which changes no count of records.
    """
    mix = np.zeros(len(X), dtype=np.uint64)
    for column in X.T:
        mix ^= (column + 0.0).view(np.uint64)  # minus zero has other bits than zero, until zero is added
        mix *= np.uint64(0x9E3779B97F4A7C15)
        mix ^= mix >> np.uint64(29)
    order = np.argsort(mix, kind="stable")
    is_new = np.zeros(len(X), dtype=bool)
    is_new[0] = True
    for column in X.T:
        is_new[1:] |= np.diff(column[order]) != 0
    starts = np.flatnonzero(is_new)
    return X[order[starts]], np.diff(np.append(starts, len(X)))


def squared_distances(X: Doubles, points: Doubles, numbers: int) -> Doubles:
    """Return squared distances, summed column by column in the order of the kernels."""
    total = np.zeros(())
    for j in range(points.shape[1]):
        difference = points[:, j] - X[:, j]
        total = total + (np.square(difference) if j < numbers else 2.0 * (difference != 0))
    return total
