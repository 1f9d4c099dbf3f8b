"""The minimum spanning tree of the records, by Prim's algorithm."""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, kernel
from shoal.partition.kernels.squared_distance import squared_distance


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
