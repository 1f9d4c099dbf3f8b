"""Kernels that order records into leaves, fill a tree, and take records out of it."""

from __future__ import annotations

import numpy as np

from shoal.partition.compiled import Integers, Scalar, Singles, inner_kernel, kernel
from shoal.partition.tree import FAN, LEAF, Tree

_INFINITY = np.float32(np.inf)
_NONE = np.float32(-1)
_SAMPLE = 500
PENDING = 128  # runs of leaves waiting to be halved: more than the times that 2**31 records can be


@inner_kernel
def _select(keys: Singles, order: Integers, start: Scalar, stop: Scalar, cut: Scalar) -> None:
    """Rearrange `start:stop` so that no key before `cut` is larger than one from `cut` on (Hoare's FIND)."""
    while stop - start > 1:
        first, middle, last = keys[start], keys[(start + stop) // 2], keys[stop - 1]
        pivot = max(min(first, middle), min(max(first, middle), last))
        i = start
        j = stop - 1
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while keys[j] > pivot:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if cut <= j:
            stop = j + 1
        elif cut >= i:
            start = i
        else:
            return


@inner_kernel
def _widest_axis(image: Singles, order: Integers, start: Scalar, stop: Scalar) -> Scalar:
    """Find the column with the largest variance, in a sample; with long tails it splits better than the range."""
    d = image.shape[1]
    total = np.zeros(d)
    squares = np.zeros(d)
    step = 1 + (stop - start) // _SAMPLE
    count = 0
    for t in range(start, stop, step):
        count += 1
        for j in range(d):
            x = np.float64(image[order[t], j])
            total[j] += x
            squares[j] += x * x
    axis = 0
    widest = -1.0
    for j in range(d):
        spread = squares[j] - total[j] * total[j] / count
        if spread > widest:
            axis = j
            widest = spread
    return axis


@kernel
def order_by_leaf(image: Singles, order: Integers) -> None:
    """Sort `order` so that every run of LEAF records is a leaf, by halving along the axis of largest variance.

    A cut falls on whole blocks as long as there are any, so that a block's records lie together; every leaf
    but the last is full.
    """
    n = image.shape[0]
    leaves = (n + LEAF - 1) // LEAF
    widest = 1
    while widest * FAN < leaves:
        widest *= FAN
    keys = np.empty(n, np.float32)
    pending = np.empty((PENDING, 3), np.int64)
    pending[0, 0], pending[0, 1], pending[0, 2] = 0, leaves, widest
    waiting = 1
    while waiting > 0:
        waiting -= 1
        first, last, width = pending[waiting, 0], pending[waiting, 1], pending[waiting, 2]
        if last - first <= 1:
            continue
        while last - first <= width:
            width //= FAN
        cut = first + (last - first + width - 1) // width // 2 * width
        start = first * LEAF
        stop = min(n, last * LEAF)
        axis = _widest_axis(image, order, start, stop)
        for t in range(start, stop):
            keys[t] = image[order[t], axis]
        _select(keys, order, start, stop, cut * LEAF)
        pending[waiting, 0], pending[waiting, 1], pending[waiting, 2] = first, cut, width
        pending[waiting + 1, 0], pending[waiting + 1, 1], pending[waiting + 1, 2] = cut, last, width
        waiting += 2


@inner_kernel
def _shrink_leaf(tree: Tree, leaf: Scalar, j: Scalar) -> Scalar:
    """Fit the leaf's box in column `j` to the records that remain; say whether it changed."""
    low = _INFINITY
    high = -_INFINITY
    for t in range(tree.filled[leaf]):
        x = tree.points[leaf, j, t]
        low = min(low, x)
        high = max(high, x)
    block, child = leaf // FAN, leaf % FAN
    changed = low != tree.low[block, j, child] or high != tree.high[block, j, child]
    tree.low[block, j, child] = low
    tree.high[block, j, child] = high
    return changed


@inner_kernel
def _shrink_block(tree: Tree, block: Scalar) -> Scalar:
    """Fit the block's box in its parent to those of its children; say whether anything changed."""
    parent = tree.parent[block]
    child = block - tree.first_child[parent]
    changed = False
    for j in range(tree.low.shape[1]):
        low = _INFINITY
        high = -_INFINITY
        for c in range(FAN):
            low = min(low, tree.low[block, j, c])
            high = max(high, tree.high[block, j, c])
        if low != tree.low[parent, j, child] or high != tree.high[parent, j, child]:
            tree.low[parent, j, child] = low
            tree.high[parent, j, child] = high
            changed = True
    reach = _NONE
    for c in range(FAN):
        reach = max(reach, tree.reach[block, c])
    if reach != tree.reach[parent, child]:
        tree.reach[parent, child] = reach
        changed = True
    return changed


@inner_kernel
def _surround(tree: Tree, image: Singles, order: Integers, size: Scalar, first_block: Scalar) -> None:
    """Put a ball round every run of `size` records: the children of the blocks from `first_block` on."""
    n, d = image.shape
    mean = np.empty(d)
    for run in range((n + size - 1) // size):
        start = run * size
        stop = min(n, start + size)
        block, child = first_block + run // FAN, run % FAN
        for j in range(d):
            mean[j] = 0.0
        for t in range(start, stop):
            for j in range(d):
                mean[j] += image[order[t], j]
        for j in range(d):
            tree.middle[block, j, child] = mean[j] / (stop - start)
            mean[j] = tree.middle[block, j, child]
        farthest = 0.0
        for t in range(start, stop):
            distance = 0.0
            for j in range(d):
                z = image[order[t], j] - mean[j]
                distance += z * z
            farthest = max(farthest, distance)
        tree.radius[block, child] = np.sqrt(farthest) * (1 + 1e-6)


@inner_kernel
def recentre(tree: Tree) -> None:
    """Measure `norms`, `reach` and `middle_norm` from the present `centre`."""
    d = tree.low.shape[1]
    for leaf in range(tree.filled.shape[0]):
        reach = _NONE
        for t in range(tree.filled[leaf]):
            norm = np.float32(0)
            for j in range(d):
                z = tree.points[leaf, j, t] - tree.centre[j]
                norm += z * z
            tree.norms[leaf, t] = norm
            reach = max(reach, norm)
        tree.reach[leaf // FAN, leaf % FAN] = reach
    for block in range(tree.parent.shape[0]):
        reach = _NONE
        for c in range(FAN):
            norm = np.float32(0)
            for j in range(d):
                z = tree.middle[block, j, c] - tree.centre[j]
                norm += z * z
            tree.middle_norm[block, c] = norm
            reach = max(reach, tree.reach[block, c])
        parent = tree.parent[block]
        if parent >= 0:
            tree.reach[parent, block - tree.first_child[parent]] = reach


@kernel
def fill(tree: Tree, image: Singles, order: Integers, rows: Integers) -> None:
    """Put the records, in leaf order, into an empty tree."""
    n, d = image.shape
    for position in range(n):
        i = order[position]
        leaf, t = position // LEAF, position % LEAF
        for j in range(d):
            tree.points[leaf, j, t] = image[i, j]
        tree.rows[leaf, t] = rows[i]
        tree.filled[leaf] += 1
        tree.place[rows[i]] = position
    for leaf in range(tree.filled.shape[0]):
        for j in range(d):
            _shrink_leaf(tree, leaf, j)
    for block in range(tree.parent.shape[0] - 1):
        _shrink_block(tree, block)
    size = np.int64(LEAF)
    first_block = np.int64(0)
    runs = tree.filled.shape[0]
    while first_block < tree.parent.shape[0]:
        _surround(tree, image, order, size, first_block)
        runs = (runs + FAN - 1) // FAN
        first_block += runs
        size *= FAN
    recentre(tree)


@inner_kernel
def _take_out(tree: Tree, row: Scalar) -> Scalar:
    """Take a record out of its leaf, where the last one moves to its place; say whether its bounds changed."""
    leaf, t = tree.place[row] // LEAF, tree.place[row] % LEAF
    block, child = leaf // FAN, leaf % FAN
    last = tree.filled[leaf] - 1
    tree.filled[leaf] = last
    tree.rows[leaf, t] = tree.rows[leaf, last]
    tree.place[tree.rows[leaf, t]] = tree.place[row]
    norm = tree.norms[leaf, t]
    tree.norms[leaf, t] = tree.norms[leaf, last]
    changed = False
    for j in range(tree.low.shape[1]):
        x = tree.points[leaf, j, t]
        tree.points[leaf, j, t] = tree.points[leaf, j, last]
        tree.points[leaf, j, last] = np.nan
        if x == tree.low[block, j, child] or x == tree.high[block, j, child]:
            changed |= _shrink_leaf(tree, leaf, j)
    if norm == tree.reach[block, child]:
        reach = _NONE
        for i in range(last):
            reach = max(reach, tree.norms[leaf, i])
        changed |= reach != norm
        tree.reach[block, child] = reach
    return changed


@inner_kernel
def remove(tree: Tree, rows: Integers) -> None:
    """Take records out of the tree; bounds that they held open shrink, once for each block."""
    for row in rows:
        block = tree.place[row] // (LEAF * FAN)
        tree.is_loose[block] |= _take_out(tree, row)
    for row in rows:
        # `place` of a record that is gone still tells the block it was in.
        block = tree.place[row] // (LEAF * FAN)
        changed = tree.is_loose[block]
        tree.is_loose[block] = False
        while changed and tree.parent[block] >= 0:
            changed = _shrink_block(tree, block)
            block = tree.parent[block]
