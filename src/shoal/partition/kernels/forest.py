"""The first step of mu-Approx: a forest in which every tree has at least k records."""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, kernel
from shoal.partition.kernels.squared_distance import squared_distance


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


@kernel
def grow_spanning_tree(
    X: Doubles,
    rows: Integers,
    parent: Integers,
    length: Doubles,
    last: Scalar,
    remaining: Scalar,
    pause: Scalar,
) -> tuple[Scalar, Scalar]:
    """Let the nearest record outside the tree join it, again and again, until `pause` are outside.

    ``length[i]`` is how near (squared) record i outside the tree is to the nearest in it, ``parent[i]`` that record
    (of several the one that joined first); `rows` are the records outside in ascending order and `last` the one that
    joined last. They are the state: the next call goes on where this one stopped. Returns the record that joined last
    and how many are outside.
    """
    while remaining > pause:
        place = 0
        least = np.inf
        for i in range(remaining):
            row = rows[i]
            distance = squared_distance(X, row, X[last])
            if distance < length[row]:
                length[row] = distance
                parent[row] = last
            if length[row] < least:
                least = length[row]
                place = i
        last = rows[place]
        for i in range(place + 1, remaining):
            rows[i - 1] = rows[i]
        remaining -= 1
    return last, remaining


@kernel
def tie_small_trees(
    X: Doubles,
    parent: Integers,
    length: Doubles,
    tree: Integers,
    size: Integers,
    successor: Integers,
    k: Scalar,
    start: Scalar,
    stop: Scalar,
) -> Scalar:
    """Tie the roots among the records `start` to `stop` whose tree is too small to the nearest record outside it.

    ``tree[i]`` is the tree of record i and ``size[t]`` how many it has; ``successor`` runs through the records of a
    tree in a circle. ``parent[i]`` is the record that i was tied to (-1 at a root) and ``length[i]`` the squared
    length of that edge. All are changed. Returns how many were tied.
    """
    tied = 0
    for row in range(start, stop):
        own = tree[row]
        if parent[row] >= 0 or size[own] >= k:
            continue
        least = np.inf
        for other in range(X.shape[0]):
            if tree[other] != own:
                distance = squared_distance(X, other, X[row])
                if distance < least:
                    least = distance
                    parent[row] = other
        length[row] = least
        other = parent[row]
        size[tree[other]] += size[own]
        # Every record of the small tree gets the number of the other, then the two circles become one.
        node = row
        while tree[node] != tree[other]:
            tree[node] = tree[other]
            node = successor[node]
        successor[row], successor[other] = successor[other], successor[row]
        tied += 1
    return tied
