"""Kernels that search a tree: the k nearest records to a point, and the farthest one.

Both walk down the blocks, best child first, and skip what the screening bound rules out. The bounds are sums of
single-precision squares; `rounding` is more than such a sum of d terms can be off, relative to its size. A
record is compared by its exact double-precision distance, then by its row: the lower row wins.
"""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, Singles, inner_kernel
from shoal.partition.kernels.lanes import (
    bits_of_far_children,
    bits_of_far_records,
    bits_of_near_children,
    bits_of_near_records,
    lowest_bit,
)
from shoal.partition.kernels.squared_distance import squared_distance
from shoal.partition.kernels.tree import FAN, Tree

_ZERO = np.float32(0)
_LARGEST = 3e38  # below the largest single-precision number, so that an infinite bound is beyond every threshold
_LEAST = 1e-36  # more than d single-precision squares lose when they underflow
_LEAST_DISTANCE = 1e-160  # and the same for a distance in double precision
_LARGEST_DISTANCE = 1.3e154  # a distance whose square overflows is larger than this
_EXACT = 1e-9  # more than d double-precision operations, or the turn to principal axes, lose relative to a distance
_PENDING = 512  # blocks waiting to be visited: below FAN a level


@inner_kernel
def rounding(d: Scalar) -> Scalar:
    """Return more than a sum of d single-precision squares can be off, relative to its size."""
    return (d + 8) * 2.0**-23


@inner_kernel
def to_tree(tree: Tree, point: Doubles, image: Singles) -> None:
    """Write the image of `point` in the tree's coordinates to `image`."""
    for j in range(point.shape[0]):
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
def nearest(tree: Tree, X: Doubles, point: Doubles, image: Singles, distances: Doubles, rows: Integers) -> None:
    """Fill `rows` with the records nearest to `point`, in no order; there are as many of them at least.

    `image` is the point in the tree, `distances` room for as many distances.
    """
    wide = 1 + 2 * rounding(point.shape[0])
    threshold = np.float32(_LARGEST)
    count = np.int64(0)
    bounds = np.empty(FAN, np.float32)
    pending = np.empty(_PENDING, np.int32)
    pending_bounds = np.empty(_PENDING, np.float32)
    pending[0] = tree.parent.shape[0] - 1
    pending_bounds[0] = _ZERO
    waiting = 1
    while waiting > 0:
        waiting -= 1
        block = pending[waiting]
        if pending_bounds[waiting] > threshold:
            continue
        bits = bits_of_near_children(tree.low, tree.high, block, image, threshold, bounds)
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
                leaf = block * FAN + c
                records = bits_of_near_records(tree.points, leaf, image, threshold)
                while records != 0:
                    row = np.int64(tree.rows[leaf, lowest_bit(records)])
                    records &= records - 1
                    distance = squared_distance(X, row, point)
                    while row >= 0 and (count < rows.shape[0] or is_worse(distances[0], rows[0], distance, row)):
                        count = offer(distances, rows, count, distance, row)
                        row = np.int64(tree.twin[row])
                if count == rows.shape[0]:
                    reach = (np.sqrt(distances[0]) * (1 + _EXACT) + _LEAST_DISTANCE) * tree.unit + tree.blur
                    threshold = np.float32(min(reach * reach * wide + _LEAST, _LARGEST))
            continue
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
        if waiting > best_child:  # the best is visited first, the others in any order
            last = waiting - 1
            pending[best_child], pending[last] = pending[last], pending[best_child]
            pending_bounds[best_child], pending_bounds[last] = pending_bounds[last], pending_bounds[best_child]


@inner_kernel
def farthest(tree: Tree, X: Doubles, point: Doubles, image: Singles) -> tuple[Scalar, Scalar]:
    """Return the record farthest from `point`, and how many blocks and leaves were looked at."""
    d = point.shape[0]
    narrow = 1 - 2 * rounding(d)
    root = tree.parent.shape[0] - 1
    from_centre = np.empty(d, np.float32)
    mirror = np.empty(d, np.float32)
    square = 0.0
    centre_square = 0.0
    product = 0.0
    for j in range(d):
        centre = np.float64(tree.centre[j])
        p = np.float64(image[j]) - centre
        from_centre[j] = p
        mirror[j] = centre - p
        square += p * p
        centre_square += centre * centre
        product += centre * p
    reach = 0.0
    for c in range(FAN):
        reach = max(reach, np.float64(tree.reach[root, c]))
    # The terms of bounds 2 and 3 cancel: their rounding is relative to the largest they can be.
    length = np.sqrt(reach) + np.sqrt(square) + np.sqrt(centre_square)
    slack = rounding(d) * np.sqrt(np.float64(d)) * length * length + _LEAST
    limits = np.empty(3, np.float32)
    limits[0] = square + slack
    limits[1] = square + 2 * product + slack
    limits[2] = 1 - rounding(d)
    threshold = np.float32(-1)
    best = -1.0
    best_row = np.int64(-1)
    looked_at = 0
    bounds = np.empty(FAN, np.float32)
    pending = np.empty(_PENDING, np.int32)
    pending_bounds = np.empty(_PENDING, np.float32)
    pending[0] = root
    pending_bounds[0] = _LARGEST
    waiting = 1
    while waiting > 0:
        waiting -= 1
        block = pending[waiting]
        if pending_bounds[waiting] < threshold:
            continue
        looked_at += 1
        bits = bits_of_far_children(tree, block, image, from_centre, mirror, limits, threshold, bounds)
        if tree.first_child[block] < 0:
            while bits != 0:
                c = lowest_bit(bits)
                bits &= bits - 1
                if bounds[c] < threshold or tree.reach[block, c] < _ZERO:
                    continue
                looked_at += 1
                leaf = block * FAN + c
                records = bits_of_far_records(tree.points, leaf, image, threshold)
                while records != 0:
                    row = np.int64(tree.rows[leaf, lowest_bit(records)])
                    records &= records - 1
                    distance = squared_distance(X, row, point)
                    if best_row < 0 or is_worse(distance, best_row, best, row):
                        best = distance
                        best_row = row
                        length = min(np.sqrt(best), _LARGEST_DISTANCE) * (1 - _EXACT) - _LEAST_DISTANCE
                        within = max(length * tree.unit - tree.blur, 0.0)
                        threshold = np.float32(within * within * narrow - _LEAST)
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
