"""The first step of mu-Approx: a forest in which every tree has at least k records."""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, kernel
from shoal.partition.kernels.squared_distance import squared_distance


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
