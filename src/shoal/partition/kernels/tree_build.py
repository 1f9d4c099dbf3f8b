"""Kernels that find identical records, order records into leaves, fill a tree, and take records out of it."""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Booleans, Doubles, Integers, Scalar, inner_kernel, kernel
from shoal.partition.kernels.lanes import fit_block, fit_leaf
from shoal.partition.kernels.tree import FAN, LEAF, Coded, Floats, Tree
from shoal.partition.kernels.tree_codes import centre_shares, measure_from_centre

_NONE = np.float32(-1)
_SAMPLE = 500  # records that tell which axis is the widest
_FEW_CODES = 100  # records that tell how a column of codes can be cut
_NO_ROW = np.int32(2**31 - 1)  # above every row
_PENDING = 128  # runs of leaves waiting to be halved: more than the times that 2**31 records can be


@kernel
def link_twins(X: Doubles, bits: Integers, twin: Integers, is_first: Booleans) -> None:
    """Write the next row with an identical record to `twin`, -1 if there is none, and which rows come first.

    `bits` is `X` seen as unsigned whole numbers. A table finds the last row so far with the same record.
    """
    n, d = X.shape
    size = 4
    while size < 2 * n:
        size *= 2
    table = np.full(size, -1, np.int32)
    for i in range(n):
        mix = np.uint64(0)
        for j in range(d):
            if X[i, j] != 0.0:  # zero and minus zero are the same
                mix ^= bits[i, j]
            mix *= np.uint64(0x9E3779B97F4A7C15)
            mix ^= mix >> np.uint64(29)
        slot = np.int64(mix & np.uint64(size - 1))
        while True:
            other = table[slot]
            is_first[i] = other < 0
            same = other >= 0
            for j in range(d):
                if not same or X[i, j] != X[other, j]:
                    same = False
                    break
            if same:
                twin[other] = i
            if same or is_first[i]:
                break
            slot = (slot + 1) & (size - 1)
        table[slot] = i
        twin[i] = -1


@kernel
def find_range(X: Doubles, rows: Integers, low: Doubles, high: Doubles) -> None:
    """Write the least and the largest value of every column to `low` and `high`."""
    low[:] = X[rows[0]]
    high[:] = X[rows[0]]
    for row in rows:
        for j in range(X.shape[1]):
            low[j] = min(low[j], X[row, j])
            high[j] = max(high[j], X[row, j])


@kernel
def turn(X: Doubles, rows: Integers, origin: Doubles, axes: Doubles, image: Floats) -> Scalar:
    """Write the images of the records in the tree's coordinates; return the largest squared distance from zero."""
    d = X.shape[1]
    x = np.empty(d)
    largest = 0.0
    for i in range(rows.shape[0]):
        x[:] = 0.0
        for a in range(d):
            z = X[rows[i], a] - origin[a]
            for j in range(d):
                x[j] += z * axes[a, j]
        square = 0.0
        for j in range(d):
            image[i, j] = x[j]
            square += x[j] * x[j]
        largest = max(largest, square)
    return largest


@inner_kernel
def _select(keys: Floats, order: Integers, start: Scalar, stop: Scalar, cut: Scalar) -> None:
    """Rearrange `start:stop` so that no key before `cut` is larger than one from `cut` on (Hoare's FIND).

    Every key is swapped, and only where to depends on it, so that there are no branches to guess wrong.
    """
    while stop - start > 1:
        first, middle, last = keys[start], keys[(start + stop) // 2], keys[stop - 1]
        pivot = max(min(first, middle), min(max(first, middle), last))
        end = start  # of the keys below the pivot
        for t in range(start, stop):
            key, i = keys[t], order[t]
            keys[t], order[t] = keys[end], order[end]
            keys[end], order[end] = key, i
            end += key < pivot
        if cut < end:
            stop = end
            continue
        start = end
        for t in range(start, stop):  # and of those that equal it
            key, i = keys[t], order[t]
            keys[t], order[t] = keys[end], order[end]
            keys[end], order[end] = key, i
            end += key <= pivot
        if cut <= end:
            return
        start = end


@inner_kernel
def _evenness(image: Floats, order: Integers, start: Scalar, stop: Scalar, j: Scalar) -> Scalar:
    """Return how evenly a column of codes can be cut between two of them, in a sample: up to 1; 0 if there is one."""
    step = 1 + (stop - start) // _FEW_CODES
    codes = np.empty((stop - start + step - 1) // step, image.dtype)
    for t in range(codes.shape[0]):
        codes[t] = image[order[start + t * step], j]
    codes.sort()
    best = 0
    for t in range(1, codes.shape[0]):
        if codes[t - 1] < codes[t]:
            best = max(best, t * (codes.shape[0] - t))
    return 4.0 * best / (codes.shape[0] * codes.shape[0])


@inner_kernel
def _widest_axis(image: Floats, order: Integers, start: Scalar, stop: Scalar, caps: Floats | None) -> Scalar:
    """Find the column with the largest variance, in a sample; with long tails it splits better than the range.

    A cut through the middle puts the records on its other side about the variance away. A cut between codes puts them
    the cap away.
    """
    d = image.shape[1]
    first = image[order[start]]
    total = np.zeros(d)
    squares = np.zeros(d)
    step = 1 + (stop - start) // _SAMPLE
    count = 0
    for t in range(start, stop, step):
        count += 1
        for j in range(d):
            x = np.float64(image[order[t], j]) - np.float64(first[j])  # so that little cancels
            total[j] += x
            squares[j] += x * x
    axis = 0
    widest = -1.0
    for j in range(d):
        spread = squares[j] - total[j] * total[j] / count
        if caps is not None and caps[j] < np.inf:
            spread = count * caps[j] * _evenness(image, order, start, stop, j)
        if spread > widest:
            axis = j
            widest = spread
    return axis


@inner_kernel
def _between_values(keys: Floats, start: Scalar, stop: Scalar, cut: Scalar, earliest: Scalar, latest: Scalar) -> Scalar:
    """Move `cut`, at which `_select` cut, to the nearest place from `earliest` to `latest` between two values."""
    value = keys[cut]
    for t in range(cut, stop):
        value = min(value, keys[t])
    below = start
    up_to = start
    for t in range(start, stop):
        below += keys[t] < value
        up_to += keys[t] <= value
    if below >= earliest and (cut - below <= up_to - cut or up_to > latest):
        return below
    return up_to if up_to <= latest else cut


@kernel
def order_by_leaf(image: Floats, order: Integers, leaf_start: Integers, caps: Floats | None) -> None:
    """Sort `order` so that the records of every leaf are a run of it, by halving along the axis of largest variance.

    Leaf i is the run from ``leaf_start[i]`` to ``leaf_start[i + 1]``. A cut falls on whole blocks as long as there are
    any, so that a block's records lie together. With no more leaves than the records need, every leaf but the last is
    full; with more, cuts fall between two values where they can, so that boxes do not overlap. `caps` are those of
    columns of codes, see `Coded`.
    """
    n = image.shape[0]
    leaves = leaf_start.shape[0] - 1
    has_room = leaves * LEAF - n >= LEAF
    leaf_start[0] = 0
    leaf_start[leaves] = n
    widest = 1
    while widest * FAN < leaves:
        widest *= FAN
    keys = np.empty(n, image.dtype)
    pending = np.empty((_PENDING, 3), np.int64)
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
        start, stop = np.int64(leaf_start[first]), np.int64(leaf_start[last])
        earliest, latest = max(start, stop - (last - cut) * LEAF), min(stop, start + (cut - first) * LEAF)
        middle = latest
        if start < stop:
            axis = _widest_axis(image, order, start, stop, caps)
            for t in range(start, stop):
                keys[t] = image[order[t], axis]
            if has_room:
                middle = start + (stop - start) * (cut - first) // (last - first)
                _select(keys, order, start, stop, middle)
                middle = _between_values(keys, start, stop, middle, earliest, latest)
            _select(keys, order, start, stop, middle)
        leaf_start[cut] = middle
        pending[waiting, 0], pending[waiting, 1], pending[waiting, 2] = first, cut, width
        pending[waiting + 1, 0], pending[waiting + 1, 1], pending[waiting + 1, 2] = cut, last, width
        waiting += 2


@inner_kernel
def _fit_lowest(tree: Tree, block: Scalar, child: Scalar, row: Scalar) -> Scalar:
    """Write the lowest row under a child of `block`; say whether it changed."""
    changed = tree.lowest[block, child] != row
    tree.lowest[block, child] = row
    return changed


@inner_kernel
def _refit_leaf(tree: Tree, leaf: Scalar) -> Scalar:
    """Fit all that a leaf's block knows of it to the records that remain; say whether anything changed."""
    block, child = leaf // FAN, leaf % FAN
    changed = fit_leaf(tree, leaf, block, child)
    if tree.is_exact:
        lowest = _NO_ROW
        for t in range(LEAF):
            if tree.norms[leaf, t] >= 0:
                lowest = min(lowest, tree.rows[leaf, t])
        changed |= _fit_lowest(tree, block, child, lowest)
    return changed


@inner_kernel
def _refit_block(tree: Tree, block: Scalar) -> Scalar:
    """Fit all that the parent of a block knows of it to its children; say whether anything changed."""
    parent = np.int64(tree.parent[block])
    child = block - np.int64(tree.first_child[parent])
    changed = fit_block(tree, block, parent, child)
    if tree.is_exact:
        lowest = _NO_ROW
        for c in range(FAN):
            lowest = min(lowest, tree.lowest[block, c])
        changed |= _fit_lowest(tree, parent, child, lowest)
    return changed


@inner_kernel
def recentre(tree: Tree) -> None:
    """Measure `norms` and `reach` from the present `centre`, and fit all boxes."""
    for leaf in range(tree.points.shape[0]):
        measure_from_centre(tree, leaf, tree.coded)
        _refit_leaf(tree, leaf)
    for block in range(tree.parent.shape[0] - 1):
        _refit_block(tree, block)


@kernel
def centre_by_shares(coded: Coded, shares: Doubles) -> None:
    """Make these shares of categories those of the tree's centre."""
    centre_shares(coded, shares)


@kernel
def fill(tree: Tree, image: Floats, order: Integers, leaf_start: Integers, rows: Integers) -> None:
    """Put the records, in leaf order, into an empty tree."""
    for leaf in range(leaf_start.shape[0] - 1):
        for t in range(leaf_start[leaf + 1] - leaf_start[leaf]):
            i = order[leaf_start[leaf] + t]
            for j in range(image.shape[1]):
                tree.points[leaf, j, t] = image[i, j]
            row = np.int64(rows[i])
            tree.rows[leaf, t] = row
            while row >= 0:
                tree.place[row] = leaf * LEAF + t
                row = np.int64(tree.twin[row])
    recentre(tree)


@inner_kernel
def remove(tree: Tree, rows: Integers) -> None:
    """Take records out of the tree; bounds that they held open shrink, once for each leaf and block.

    Of identical records the lowest rows have to go first.
    """
    for row in rows:
        leaf, t = tree.place[row] // LEAF, tree.place[row] % LEAF
        heir = tree.twin[tree.rows[leaf, t]]
        if heir >= 0:
            tree.rows[leaf, t] = heir
            tree.is_loose[leaf] |= tree.is_exact
        else:
            tree.points[leaf, 0, t] = np.nan
            tree.norms[leaf, t] = _NONE
            tree.left[0] -= 1
            tree.is_loose[leaf] = True
    for row in rows:
        leaf = np.int64(tree.place[row] // LEAF)
        changed = tree.is_loose[leaf]
        tree.is_loose[leaf] = False
        if changed:
            changed = _refit_leaf(tree, leaf)
            block = leaf // FAN
            while changed and tree.parent[block] >= 0:
                changed = _refit_block(tree, block)
                block = np.int64(tree.parent[block])
