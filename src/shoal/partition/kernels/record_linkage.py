"""The search for records nearer than the true one, through all records, block by block.

Distances are summed in the order of the columns, so that they are the same to the last bit as elsewhere.
"""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, inner_kernel, kernel
from shoal.partition.kernels.lanes import bits_of_near_children, bits_of_near_records, lowest_bit
from shoal.partition.kernels.squared_distance import squared_distance
from shoal.partition.kernels.tree import FAN, Floats, Tree
from shoal.partition.kernels.tree_search import PENDING, add_children, not_farther, rounding, to_tree


@inner_kernel
def _within(
    tree: Tree,
    X: Doubles,
    counts: Integers,
    point: Doubles,
    image: Floats,
    reach: Scalar,
    below: Scalar,
    pending: Integers,
    bounds: Floats,
    pending_bounds: Floats,
) -> tuple[Scalar, Scalar]:
    """Return the least squared distance of a record within `reach` of the point, and how many records are within it.

    As soon as one is found that is nearer than `below`, its distance and 0 are returned.
    """
    threshold = not_farther(tree, reach, 1 + 2 * rounding(tree, point.shape[0]))
    least, found = np.inf, 0
    pending[0] = tree.parent.shape[0] - 1
    pending_bounds[0] = 0
    waiting = 1
    while waiting > 0:
        waiting -= 1
        block = pending[waiting]
        if pending_bounds[waiting] > threshold:
            continue
        bits = bits_of_near_children(tree.low, tree.high, block, image, threshold, None, bounds)
        if tree.first_child[block] < 0:
            while bits != 0:
                c = lowest_bit(bits)
                bits &= bits - 1
                leaf = block * FAN + c
                records = bits_of_near_records(tree.points, leaf, image, threshold, None, None)
                while records != 0:
                    row = np.int64(tree.rows[leaf, lowest_bit(records)])
                    records &= records - 1
                    distance = squared_distance(X, row, point)
                    if distance <= reach:
                        least = min(least, distance)
                        found += counts[row]
                        if distance < below:
                            return least, 0
            continue
        waiting = add_children(tree, block, bits, bounds, pending, pending_bounds, waiting)
    return least, found


@kernel
def count_ties_by_tree(
    tree: Tree,
    X: Doubles,
    counts: Integers,
    sought: Doubles,
    to_true: Doubles,
    relative: Scalar,
    absolute: Scalar,
    out: Integers,
) -> None:
    """Write, for every record sought, how many records are nearest with the true one, 0 if another is nearer.

    `X` has the distinct records and `counts` how often each occurs; `to_true` the squared distances to the true ones.
    """
    image = np.empty(X.shape[1], tree.points.dtype)
    pending = np.empty(PENDING, np.int32)
    bounds = np.empty(FAN, tree.points.dtype)
    pending_bounds = np.empty(PENDING, tree.points.dtype)
    for t in range(sought.shape[0]):
        to_tree(tree, sought[t], image)
        own = to_true[t] * relative + absolute
        below = (to_true[t] - absolute) / relative
        least, found = _within(tree, X, counts, sought[t], image, own, below, pending, bounds, pending_bounds)
        out[t] = 0
        reach = least * relative + absolute
        if found > 0 and to_true[t] <= reach:
            _, out[t] = _within(tree, X, counts, sought[t], image, reach, -1.0, pending, bounds, pending_bounds)


@kernel
def count_as_near_by_tree(
    tree: Tree,
    X: Doubles,
    counts: Integers,
    sought: Doubles,
    to_true: Doubles,
    relative: Scalar,
    absolute: Scalar,
    out: Integers,
) -> None:
    """Write, for every record sought, how many records are as near as the true one, -1 if one is nearer.

    As in `count_ties_by_tree`, but the true ones need not be among these records.
    """
    image = np.empty(X.shape[1], tree.points.dtype)
    pending = np.empty(PENDING, np.int32)
    bounds = np.empty(FAN, tree.points.dtype)
    pending_bounds = np.empty(PENDING, tree.points.dtype)
    for t in range(sought.shape[0]):
        to_tree(tree, sought[t], image)
        own = to_true[t] * relative + absolute
        below = (to_true[t] - absolute) / relative
        least, found = _within(tree, X, counts, sought[t], image, own, below, pending, bounds, pending_bounds)
        out[t] = -1 if found == 0 and least < np.inf else found


LINKAGE_BLOCK = 128  # records side by side: a block of 30 columns stays in the cache


@inner_kernel
def _block_distances(x: Doubles, block: Doubles, numbers: Scalar, out: Doubles) -> None:
    """Write the squared distances of all records of a block; categories that differ add 2."""
    d = x.shape[0]
    for t in range(LINKAGE_BLOCK):
        out[t] = 0.0
    for j in range(0, numbers - 1, 2):  # two columns at a time: the sums are read and written half as often
        for t in range(LINKAGE_BLOCK):
            y, z = block[j, t] - x[j], block[j + 1, t] - x[j + 1]
            out[t] = (out[t] + y * y) + z * z
    if numbers % 2 == 1:
        for t in range(LINKAGE_BLOCK):
            z = block[numbers - 1, t] - x[numbers - 1]
            out[t] += z * z
    for j in range(numbers, d):
        for t in range(LINKAGE_BLOCK):
            out[t] += 2.0 * (block[j, t] != x[j])


@kernel
def count_ties(
    sought: Doubles,
    to_true: Doubles,
    numbers: Scalar,
    blocks: Doubles,
    counts: Integers,
    relative: Scalar,
    absolute: Scalar,
    out: Integers,
) -> None:
    """Write, for every record sought, how many records are nearest with the true one, 0 if another is nearer.

    `blocks` has the distinct records, blocks x columns x LINKAGE_BLOCK, and `counts` how often each occurs; places
    that are left over hold any record, counted 0 times. `to_true` has the squared distances to the true records.
    """
    n = sought.shape[0]
    least = to_true.copy()
    distances = np.empty(LINKAGE_BLOCK)
    out[:] = 1
    for block in range(blocks.shape[0]):
        for i in range(n):
            if out[i] > 0:
                _block_distances(sought[i], blocks[block], numbers, distances)
                for t in range(LINKAGE_BLOCK):
                    least[i] = min(least[i], distances[t])
                if to_true[i] > least[i] * relative + absolute:
                    out[i] = 0
    for i in range(n):
        if out[i] > 0:
            out[i] = 0
            reach = least[i] * relative + absolute
            for block in range(blocks.shape[0]):
                _block_distances(sought[i], blocks[block], numbers, distances)
                for t in range(LINKAGE_BLOCK):
                    if distances[t] <= reach:
                        out[i] += counts[block, t]
