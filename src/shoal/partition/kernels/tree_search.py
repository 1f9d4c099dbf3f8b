"""Kernels that search a tree: the k nearest records to a point, and the farthest one.

Both walk down the blocks, best child first, and skip what the screening bound rules out. The bounds are sums of
single-precision squares; `rounding` is more than such a sum of d terms can be off, relative to its size. A
record is compared by its exact double-precision distance, then by its row: the lower row wins.

In an exact tree there is no rounding to make room for. A box's bound is computed with the same operations in the same
order as a distance; rounding keeps order, so that the bound is never on the wrong side of a distance, and where the
two are equal the lowest row under a child tells whether it can win.
"""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, inner_kernel
from shoal.partition.kernels.lanes import (
    bits_of_far_children,
    bits_of_far_records,
    bits_of_near_children,
    bits_of_near_records,
    lowest_bit,
)
from shoal.partition.kernels.tree import FAN, Floats, Tree
from shoal.partition.kernels.tree_codes import (
    Centroid,
    bounds_of_codes,
    far_distance,
    is_code,
    record_distance,
)

_ZERO = np.float32(0)
_NO_ROW = np.int64(2**31 - 1)  # above every row
_LARGEST = 3e38  # below the largest single-precision number, so that an infinite bound is beyond every threshold
_LEAST = 1e-36  # more than d single-precision squares lose when they underflow
_LEAST_EXACT = 1e-300  # and the same in double precision
_LEAST_DISTANCE = 1e-160  # and more than a distance in double precision can lose
_LARGEST_DISTANCE = 1.3e154  # a distance whose square overflows is larger than this
_EXACT = 1e-9  # more than d double-precision operations, or the turn to principal axes, lose relative to a distance
PENDING = 512  # blocks waiting to be visited: below FAN a level


@inner_kernel
def rounding(tree: Tree, d: Scalar) -> Scalar:
    """Return more than a sum of d squares, in the precision of the tree, can be off, relative to its size."""
    return (d + 8) * (2.0**-50 if tree.is_exact else 2.0**-23)


@inner_kernel
def to_tree(tree: Tree, point: Doubles, image: Floats) -> None:
    """Write the image of `point` in the tree's coordinates to `image`."""
    for j in range(point.shape[0]):
        x = point[j]
        if not tree.is_exact:
            x = 0.0
            for i in range(point.shape[0]):
                x += (point[i] - tree.origin[i]) * tree.axes[i, j]
        image[j] = x


@inner_kernel
def is_worse(distance: Scalar, row: Scalar, other_distance: Scalar, other_row: Scalar) -> Scalar:
    """Whether a record comes after another in order of distance, then of row."""
    return distance > other_distance or (distance == other_distance and row > other_row)


@inner_kernel
def offer(distances: Doubles, rows: Integers, count: Scalar, distance: Scalar, row: Scalar) -> Scalar:
    """Put a record on the heap of the best, in place of the worst if it is full; return how many there are now."""
    size = distances.shape[0]
    if count < size:
        i = count
        count += 1
        while i > 0 and is_worse(distance, row, distances[(i - 1) // 2], rows[(i - 1) // 2]):
            distances[i], rows[i] = distances[(i - 1) // 2], rows[(i - 1) // 2]
            i = (i - 1) // 2
    else:
        i = 0
        while True:
            child = 2 * i + 1
            if child >= size:
                break
            if child + 1 < size and is_worse(distances[child + 1], rows[child + 1], distances[child], rows[child]):
                child += 1
            if not is_worse(distances[child], rows[child], distance, row):
                break
            distances[i], rows[i] = distances[child], rows[child]
            i = child
    distances[i], rows[i] = distance, row
    return count


@inner_kernel
def not_farther(tree: Tree, distance: Scalar, wide: Scalar) -> Scalar:
    """Return the most that the screened squared distance of a record can be if it is no farther than `distance`."""
    if tree.is_exact:
        return tree.points.dtype.type(distance)
    reach = (np.sqrt(distance) * (1 + _EXACT) + _LEAST_DISTANCE) * tree.unit + tree.blur
    return tree.points.dtype.type(min(reach * reach * wide + _LEAST, _LARGEST))


@inner_kernel
def _not_nearer(tree: Tree, distance: Scalar, narrow: Scalar) -> Scalar:
    """Return the least that the screened squared distance of a record can be if it is no nearer than `distance`."""
    if tree.is_exact:
        return tree.points.dtype.type(distance)
    length = min(np.sqrt(distance), _LARGEST_DISTANCE) * (1 - _EXACT) - _LEAST_DISTANCE
    within = max(length * tree.unit - tree.blur, 0.0)
    return tree.points.dtype.type(within * within * narrow - _LEAST)


@inner_kernel
def _lowest_row(tree: Tree, block: Scalar) -> Scalar:
    """Return a row that no row under a block is below."""
    parent = tree.parent[block]
    return np.int32(0) if parent < 0 else tree.lowest[parent, block - tree.first_child[parent]]


@inner_kernel
def nearest(tree: Tree, X: Doubles, point: Doubles, image: Floats, distances: Doubles, rows: Integers) -> None:
    """Fill `rows` with the records nearest to `point`, in no order; there are as many of them at least.

    `image` is the point in the tree, `distances` room for as many distances.
    """
    wide = 1 + 2 * rounding(tree, image.shape[0])
    threshold = tree.points.dtype.type(np.inf if tree.is_exact else _LARGEST)
    count = np.int64(0)
    worst_row = _NO_ROW  # of those listed, once there are enough
    bounds = np.empty(FAN, tree.points.dtype)
    pending = np.empty(PENDING, np.int32)
    pending_bounds = np.empty(PENDING, tree.points.dtype)
    pending[0] = tree.parent.shape[0] - 1
    pending_bounds[0] = _ZERO
    waiting = 1
    while waiting > 0:
        waiting -= 1
        block = pending[waiting]
        if pending_bounds[waiting] > threshold:
            continue
        if pending_bounds[waiting] == threshold and _lowest_row(tree, block) > worst_row:
            continue
        bits = bits_of_near_children(tree.low, tree.high, block, image, threshold, tree.coded, bounds)
        if tree.first_child[block] < 0:
            while bits != 0:
                c = lowest_bit(bits)
                if count < rows.shape[0]:  # the nearest leaf first, as long as every record is welcome
                    others = bits & (bits - 1)
                    while others != 0:
                        if bounds[lowest_bit(others)] < bounds[c]:
                            c = lowest_bit(others)
                        others &= others - 1
                bits ^= 1 << c
                if bounds[c] > threshold or tree.reach[block, c] < _ZERO:
                    continue
                if bounds[c] == threshold and tree.lowest[block, c] > worst_row:
                    continue
                leaf = block * FAN + c
                records = bits_of_near_records(tree.points, leaf, image, threshold, tree.coded, None)
                while records != 0:
                    row = np.int64(tree.rows[leaf, lowest_bit(records)])
                    records &= records - 1
                    distance = record_distance(X, row, point, tree.coded)
                    while row >= 0 and (count < rows.shape[0] or is_worse(distances[0], rows[0], distance, row)):
                        count = offer(distances, rows, count, distance, row)
                        row = np.int64(tree.twin[row])
                if count == rows.shape[0]:
                    worst_row = rows[0]
                    threshold = not_farther(tree, distances[0], wide)
            continue
        waiting = add_children(tree, block, bits, bounds, pending, pending_bounds, waiting)


@inner_kernel
def add_children(
    tree: Tree,
    block: Scalar,
    bits: Scalar,
    bounds: Floats,
    pending: Integers,
    pending_bounds: Floats,
    waiting: Scalar,
) -> Scalar:
    """Add the children of a block that `bits` names to those waiting, and return how many wait then.

    The best is last, so that it is visited first; the others are in any order.
    """
    best_child = waiting
    while bits != 0:
        c = lowest_bit(bits)
        bits &= bits - 1
        if tree.reach[block, c] >= _ZERO:
            pending[waiting] = tree.first_child[block] + c
            pending_bounds[waiting] = bounds[c]
            if pending_bounds[best_child] > bounds[c]:
                best_child = waiting
            waiting += 1
    if waiting > best_child:
        last = waiting - 1
        pending[best_child], pending[last] = pending[last], pending[best_child]
        pending_bounds[best_child], pending_bounds[last] = pending_bounds[last], pending_bounds[best_child]
    return waiting


@inner_kernel
def root_reach(tree: Tree) -> Scalar:
    """Return the largest squared distance of a record that remains from `centre`, in the tree."""
    reach = _ZERO
    root = tree.parent.shape[0] - 1
    for c in range(FAN):
        reach = max(reach, tree.reach[root, c])
    return reach


@inner_kernel
def farthest(tree: Tree, X: Doubles, point: Doubles, image: Floats, centroid: Centroid | None) -> tuple[Scalar, Scalar]:
    """Return the record farthest from `point`, and how many blocks and leaves were looked at.

    In a tree with nominal columns the point is a record, or has the shares of `centroid` in these.
    """
    d = image.shape[0]
    narrow = 1 - 2 * rounding(tree, d)
    root = tree.parent.shape[0] - 1
    from_centre = np.empty(d, tree.points.dtype)
    mirror = np.empty(d, tree.points.dtype)
    square = 0.0
    centre_square = 0.0
    product = 0.0
    for j in range(d):
        if is_code(tree.coded, j):
            from_centre[j] = 0
            mirror[j] = np.nan
            continue
        centre = np.float64(tree.centre[j])
        p = np.float64(image[j]) - centre
        from_centre[j] = p
        mirror[j] = centre - p
        square += p * p
        centre_square += centre * centre
        product += centre * p
    square_of_codes, inner_of_codes, mirrored_of_codes = bounds_of_codes(tree.coded, point, centroid)
    square += square_of_codes * tree.unit * tree.unit
    # The terms of bounds 2 and 3 cancel: their rounding is relative to the largest they can be.
    length = np.sqrt(np.float64(root_reach(tree))) + np.sqrt(square) + np.sqrt(centre_square)
    slack = rounding(tree, d) * np.sqrt(np.float64(d)) * length * length
    slack += _LEAST_EXACT if tree.is_exact else _LEAST
    limits = np.empty(3, tree.points.dtype)
    limits[0] = square + slack - mirrored_of_codes * tree.unit * tree.unit / 2
    limits[1] = square + 2 * product + slack - 2 * inner_of_codes * tree.unit * tree.unit
    limits[2] = 1 - rounding(tree, d)
    threshold = tree.points.dtype.type(-1)
    best = -1.0
    best_row = np.int64(-1)
    looked_at = 0
    bounds = np.empty(FAN, tree.points.dtype)
    pending = np.empty(PENDING, np.int32)
    pending_bounds = np.empty(PENDING, tree.points.dtype)
    pending[0] = root
    pending_bounds[0] = np.inf
    waiting = 1
    while waiting > 0:
        waiting -= 1
        block = pending[waiting]
        if pending_bounds[waiting] < threshold:
            continue
        if pending_bounds[waiting] == threshold and _lowest_row(tree, block) > best_row:
            continue
        looked_at += 1
        bits = bits_of_far_children(tree, block, image, from_centre, mirror, limits, threshold, centroid, bounds)
        if tree.first_child[block] < 0:
            while bits != 0:
                c = lowest_bit(bits)
                bits &= bits - 1
                if bounds[c] < threshold or tree.reach[block, c] < _ZERO:
                    continue
                if bounds[c] == threshold and tree.lowest[block, c] > best_row:
                    continue
                looked_at += 1
                leaf = block * FAN + c
                records = bits_of_far_records(tree.points, leaf, image, threshold, tree.coded, centroid)
                while records != 0:
                    row = np.int64(tree.rows[leaf, lowest_bit(records)])
                    records &= records - 1
                    distance = far_distance(X, row, point, tree.coded, centroid, best)
                    if best_row < 0 or is_worse(distance, best_row, best, row):
                        best = distance
                        best_row = row
                        threshold = _not_nearer(tree, best, narrow)
                        if centroid is not None:  # its bounds are rounded in another way, in an exact tree too
                            threshold = tree.points.dtype.type(threshold * (1 - _EXACT))
            continue
        best_child = waiting
        while bits != 0:
            c = lowest_bit(bits)
            bits &= bits - 1
            if tree.reach[block, c] >= _ZERO:
                pending[waiting] = tree.first_child[block] + c
                pending_bounds[waiting] = bounds[c]
                if pending_bounds[best_child] < bounds[c]:
                    best_child = waiting
                waiting += 1
        if waiting > best_child:  # the best is visited first, the others in any order
            last = waiting - 1
            pending[best_child], pending[last] = pending[last], pending[best_child]
            pending_bounds[best_child], pending_bounds[last] = pending_bounds[last], pending_bounds[best_child]
    return best_row, looked_at
