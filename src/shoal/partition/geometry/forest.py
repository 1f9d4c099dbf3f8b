"""A forest over the records: long edges cut, and groups made of its trees."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from shoal.progress import advance, share

__all__ = ["cut_long_edges", "number_in_order", "number_trees", "split_large_groups"]


def cut_long_edges(
    parent: NDArray[np.int64], length: NDArray[np.float64], k: int, most: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Cut edges, the longest first, that leave at least `k` records on both sides of a tree of more than `most`.

    Parameters
    ----------
    parent, length
        The parent of every record (-1 at a root), and the length of the edge to it. Of edges equally long the one
        with the lowest rows at its ends comes first.
    k, most
        How many records have to be left on both sides, and the largest tree that is not cut.

    Returns
    -------
    tuple
        The parents and the sizes of the subtrees afterwards.
    """
    # Imported here because numba takes a second to import.
    from shoal.partition.kernels.forest import cut_edges, subtree_sizes

    parent = parent.copy()
    size = subtree_sizes(parent)[0].astype(np.int64)
    nodes = np.flatnonzero(parent >= 0)
    ends = np.sort(np.column_stack([nodes, parent[nodes]]), axis=1)
    longest_first = nodes[np.lexsort((ends[:, 1], ends[:, 0], -length[nodes]))]
    cut_edges(parent, size, longest_first, k, most)
    return parent, size


def number_trees(parent: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for every record the number of its tree, in the order of their first records."""
    from shoal.partition.kernels.forest import subtree_sizes

    _, children_first = subtree_sizes(parent)
    root = np.arange(len(parent))
    for node in children_first[::-1].tolist():
        if parent[node] >= 0:
            root[node] = root[parent[node]]
    return number_in_order(root)


def number_in_order(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the same groups, numbered by their first records."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]


def split_large_groups(
    X: NDArray[np.float64],
    labels: NDArray[np.int64],
    k: int,
    split: Callable[[NDArray[np.float64]], NDArray[np.int64]],
) -> NDArray[np.int64]:
    """Split every group of 2k records or more; this counts for the whole of the work.

    Parameters
    ----------
    X, labels
        The records, and the group of each, 0 to g-1.
    k
        The least number of records in a group.
    split
        Takes the records of a group, read-only, and returns the part of each, 0 to p-1. The parts take the place of
        the group in the numbering.
    """
    n = len(X)
    result = np.empty(n, dtype=np.int64)
    order = np.argsort(labels, kind="stable")
    groups = 0
    for rows in np.split(order, np.cumsum(np.bincount(labels))[:-1]):
        if len(rows) < 2 * k:
            result[rows] = groups
            groups += 1
            advance(len(rows) / n)
            continue
        records = X[rows]
        records.flags.writeable = False
        with share(len(rows) / n):
            parts = split(records)
        result[rows] = groups + parts
        groups += int(parts.max()) + 1
    return result
