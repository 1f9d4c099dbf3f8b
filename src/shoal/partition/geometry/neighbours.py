"""The nearest records of every record."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from shoal.partition.geometry.tree import find_twins, plant

__all__ = ["lists_of_neighbours", "nearest_records"]

_RECORDS_A_TASK = 4_096
_LISTED_A_TASK = 500_000


def nearest_records(X: NDArray[np.float64], count: int) -> NDArray[np.int32]:
    """Return the `count` nearest other records of every record, nearest first, then lowest row, one line per record."""
    rows = np.empty((len(X), count), dtype=np.int32)
    for records, neighbours, _ in lists_of_neighbours(X, count):
        rows[records] = neighbours
    return rows


def lists_of_neighbours(
    X: NDArray[np.float64], count: int
) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]]:
    """Go through all records in parts and yield rows, their nearest other records and the squared distances.

    The parts come in the order of a k-d tree, so that the search for one record finds in the cache what the search
    for the one before it read. Identical records are one record of the tree, so that a search can leave them together:
    a thousand of them cost what one costs.
    """
    # Imported here because numba takes a second to import.
    from shoal.partition.kernels.neighbours import find_nearest

    tree = plant(X, *find_twins(X))
    in_tree_order = np.argsort(tree.place).astype(np.int32)
    at_once = max(1, min(_RECORDS_A_TASK, _LISTED_A_TASK // count))

    def fill(first: int) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
        wanted = in_tree_order[first : first + at_once]
        rows = np.empty((len(wanted), count + 1), dtype=np.int64)
        distances = np.empty((len(wanted), count + 1))
        find_nearest(tree, X, X[wanted], rows, distances)
        # The record itself is sorted to the front and left out. Among many identical ones it may not be listed: then
        # the last is left out.
        is_itself = rows == wanted[:, np.newaxis]
        order = np.lexsort((rows, distances, ~is_itself))
        is_there = is_itself.any(axis=1, keepdims=True)
        order = np.where(is_there, order[:, 1:], order[:, :-1])
        neighbours = np.take_along_axis(rows, order, axis=1).astype(np.int32)
        return wanted, neighbours, np.take_along_axis(distances, order, axis=1)

    threads = os.cpu_count() or 1
    starts = range(0, len(in_tree_order), at_once)
    with ThreadPoolExecutor(threads) as pool:
        for first in range(0, len(starts), 4 * threads):  # a few at a time, so that not all lists are in memory
            yield from pool.map(fill, starts[first : first + 4 * threads])
