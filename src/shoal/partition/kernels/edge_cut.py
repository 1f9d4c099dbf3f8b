"""Cuts the long edges of a forest where both sides stay large enough."""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Integers, Scalar, kernel


@kernel
def subtree_sizes(parent: Integers) -> tuple[Integers, Integers]:
    """Return the size of the subtree of every node, and the nodes in an order in which children come first.

    ``parent[i]`` is the parent of node i, or -1 at a root.
    """
    n = parent.shape[0]
    waits_for = np.zeros(n, np.int64)
    for node in range(n):
        if parent[node] >= 0:
            waits_for[parent[node]] += 1
    children_first = np.empty(n, np.int64)
    count = 0
    for node in range(n):
        if waits_for[node] == 0:
            children_first[count] = node
            count += 1
    size = np.ones(n, np.int64)
    for i in range(n):
        up = parent[children_first[i]]
        if up >= 0:
            size[up] += size[children_first[i]]
            waits_for[up] -= 1
            if waits_for[up] == 0:
                children_first[count] = up
                count += 1
    return size, children_first


@kernel
def cut_edges(parent: Integers, size: Integers, longest_first: Integers, k: Scalar, most: Scalar) -> None:
    """Cut, in this order, the edges that leave at least k nodes on both sides of a tree of more than `most`.

    An edge is named by its lower end. `parent` (-1 at a root) and `size` (of the subtrees) are changed.
    """
    for node in longest_first:
        if size[node] < k:
            continue
        root = parent[node]
        while parent[root] >= 0:
            root = parent[root]
        if size[root] - size[node] < k or size[root] <= most:
            continue
        up = parent[node]
        while up >= 0:
            size[up] -= size[node]
            up = parent[up]
        parent[node] = -1
