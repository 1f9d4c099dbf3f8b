"""Searches for the counterparts of records: whether the true one is nearest, and how many are equally near."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from shoal.progress import advance

__all__ = ["distinct_records", "search_by_tree", "search_through"]

Doubles = NDArray[np.float64]
Counts = NDArray[np.int64]

# A record is among the nearest if its squared distance is within this factor and addition of the smallest.
_RELATIVE = 1 + 1e-9
_ABSOLUTE = 1e-12

_AT_ONCE = 50_000  # distances: few enough to stay in the cache
_TASKS = 64
_LEAST_A_TASK = 500


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
        How many columns, the first ones, hold numbers. The others are categories, which add 1 to a squared distance
        where they differ.

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
        distances = _distances(sought[rows, :, np.newaxis], points, numbers)
        reach = distances.min(axis=1) * _RELATIVE + _ABSOLUTE
        is_nearest = _distances(sought[rows], true[rows], numbers) <= reach
        ties[rows[is_nearest]] = (distances[is_nearest] <= reach[is_nearest, np.newaxis]) @ counts
        advance(len(rows) / len(sought))
    return ties


def search_by_tree(sought: Doubles, true: Doubles, searched: Doubles, numbers: int) -> Counts:
    """Return what `search_through` does, by a k-d tree in several threads: for large files."""
    # Deferred, as in _by_leaf: numba takes a second to import.
    from shoal.partition.kernels.record_linkage import LINKAGE_LEAF, count_ties, fill_tree

    points, counts = distinct_records(searched)
    order, bounds = _by_leaf(points, numbers)
    leaves = len(bounds) // 2 + 1
    tree = (
        np.empty((leaves, points.shape[1], LINKAGE_LEAF)),
        np.empty((leaves, LINKAGE_LEAF), dtype=np.int64),
        np.empty((len(bounds), points.shape[1])),
        np.empty((len(bounds), points.shape[1])),
        np.empty(len(bounds), dtype=np.int64),
    )
    fill_tree(points[order], counts[order], bounds, *tree)
    del points, counts

    # Records that lie together are sought one after the other: what the first reads is in the cache for the next.
    order, _ = _by_leaf(sought, numbers)
    ties = np.empty(len(sought), dtype=np.int64)
    at_once = max(_LEAST_A_TASK, -(-len(sought) // _TASKS))

    def search(start: int) -> int:
        rows = order[start : start + at_once]
        ties_of_rows = np.empty(len(rows), dtype=np.int64)
        count_ties(sought[rows], true[rows], numbers, *tree, _RELATIVE, _ABSOLUTE, ties_of_rows)
        ties[rows] = ties_of_rows
        return len(rows)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for searched_rows in pool.map(search, range(0, len(sought), at_once)):
            advance(searched_rows / len(sought))
    return ties


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


def _distances(X: Doubles, points: Doubles, numbers: int) -> Doubles:
    """Return squared distances, summed column by column in the order of the kernels."""
    total = np.zeros(())
    for j in range(points.shape[1]):
        difference = points[:, j] - X[:, j]
        total = total + (np.square(difference) if j < numbers else difference != 0)
    return total


def _by_leaf(X: Doubles, numbers: int) -> tuple[Counts, Counts]:
    """Return an order of the records in which those of every tree node are consecutive, and the bounds of each node."""
    from shoal.partition.kernels.record_linkage import LINKAGE_LEAF, order_by_node

    leaves = 1
    while leaves * LINKAGE_LEAF < len(X):
        leaves *= 2
    order = np.arange(len(X))
    bounds = np.empty((2 * leaves - 1, 2), dtype=np.int64)
    order_by_node(X, numbers, order, bounds)
    return order, bounds
