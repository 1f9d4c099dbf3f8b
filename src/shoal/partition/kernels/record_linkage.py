"""A k-d tree of the records that are searched, and the search for those nearer than the true one.

Bounds are taken with the same operations in the same order as distances. Rounding keeps order, so that a bound is
never on the wrong side of a distance, and the tree finds to the last bit what going through all records would.
"""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, inner_kernel, kernel

LINKAGE_LEAF = 16  # records in a leaf
_SAMPLE = 300  # records that tell which column to halve
_PENDING = 128  # nodes waiting to be searched: twice as many as there can be levels


@inner_kernel
def _distance(x: Doubles, y: Doubles, numbers: Scalar) -> Scalar:
    """Sum the squares of differences between numbers, and 1 for every category that differs."""
    total = 0.0
    for j in range(numbers):
        z = y[j] - x[j]
        total += z * z
    for j in range(numbers, x.shape[0]):
        total += 1.0 * (y[j] != x[j])
    return total


@inner_kernel
def _leaf_distances(x: Doubles, leaf: Doubles, numbers: Scalar, out: Doubles) -> None:
    """Write the squared distances of all records of a leaf, side by side."""
    for t in range(LINKAGE_LEAF):
        out[t] = 0.0
    for j in range(numbers):
        for t in range(LINKAGE_LEAF):
            z = leaf[j, t] - x[j]
            out[t] += z * z
    for j in range(numbers, x.shape[0]):
        for t in range(LINKAGE_LEAF):
            out[t] += 1.0 * (leaf[j, t] != x[j])


@inner_kernel
def _least(x: Doubles, low: Doubles, high: Doubles, numbers: Scalar) -> Scalar:
    """Bound the squared distances from a box from below."""
    total = 0.0
    for j in range(numbers):
        z = max(low[j] - x[j], x[j] - high[j], 0.0)
        total += z * z
    for j in range(numbers, x.shape[0]):
        total += 1.0 * ((x[j] < low[j]) | (x[j] > high[j]))
    return total


@inner_kernel
def _largest(x: Doubles, low: Doubles, high: Doubles, numbers: Scalar) -> Scalar:
    """Bound the squared distances from a box from above."""
    total = 0.0
    for j in range(numbers):
        z = max(x[j] - low[j], high[j] - x[j])
        total += z * z
    for j in range(numbers, x.shape[0]):
        total += 1.0 * ((low[j] != x[j]) | (high[j] != x[j]))
    return total


@inner_kernel
def _variance(points: Doubles, order: Integers, start: Scalar, stop: Scalar, j: Scalar) -> Scalar:
    """Return the variance of a column of some records, in a sample of them."""
    step = 1 + (stop - start) // _SAMPLE
    first = points[order[start], j]
    count = 0
    total = 0.0
    squares = 0.0
    for t in range(start, stop, step):
        z = points[order[t], j] - first
        count += 1
        total += z
        squares += z * z
    return squares / count - (total / count) ** 2


@inner_kernel
def _halve(keys: Doubles, order: Integers, start: Scalar, stop: Scalar, cut: Scalar) -> None:
    """Rearrange `start:stop` so that no key before `cut` is larger than one from `cut` on (Hoare's FIND)."""
    stop -= 1
    while start < stop:
        first, middle, last = keys[start], keys[(start + stop) // 2], keys[stop]
        pivot = max(min(first, middle), min(max(first, middle), last))
        i, j = start, stop
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
            stop = j
        elif cut >= i:
            start = i
        else:
            return


@kernel
def order_by_node(points: Doubles, numbers: Scalar, order: Integers, bounds: Integers) -> None:
    """Sort `order` so that the records of every node lie together, and write where each node starts and stops.

    Node i has the children 2 i + 1 and 2 i + 2, which are its halves; `bounds` has a row for every node.
    """
    d = points.shape[1]
    keys = np.empty(order.shape[0])
    bounds[0, 0], bounds[0, 1] = 0, order.shape[0]
    unit = np.ones(d)
    # The codes of a category have no scale of their own: they get the variance of 0 and 1, half and half.
    for j in range(numbers, d):
        unit[j] = 4.0 * max(_variance(points, order, 0, order.shape[0], j), 1e-9)
    for node in range(bounds.shape[0] // 2):
        start, stop = bounds[node, 0], bounds[node, 1]
        cut = (start + stop) // 2
        column = 0
        widest = -1.0
        for j in range(d):
            spread = _variance(points, order, start, stop, j) / unit[j]
            if spread > widest:
                column = j
                widest = spread
        for t in range(start, stop):
            keys[t] = points[order[t], column]
        _halve(keys, order, start, stop, cut)
        bounds[2 * node + 1, 0], bounds[2 * node + 1, 1] = start, cut
        bounds[2 * node + 2, 0], bounds[2 * node + 2, 1] = cut, stop


@kernel
def fill_tree(
    points: Doubles,
    counts: Integers,
    bounds: Integers,
    leaf_points: Doubles,
    leaf_counts: Integers,
    low: Doubles,
    high: Doubles,
    within: Integers,
) -> None:
    """Write the leaves, and every node's box and number of records; points and counts are in the order of the leaves.

    A leaf's records lie side by side, column by column. Its last places hold its last record again, counted 0 times.
    """
    first_leaf = bounds.shape[0] // 2
    d = points.shape[1]
    for node in range(bounds.shape[0] - 1, -1, -1):
        if node < first_leaf:
            left, right = 2 * node + 1, 2 * node + 2
            within[node] = within[left] + within[right]
            for j in range(d):
                low[node, j] = min(low[left, j], low[right, j])
                high[node, j] = max(high[left, j], high[right, j])
            continue
        leaf = node - first_leaf
        within[node] = 0
        low[node] = np.inf
        high[node] = -np.inf
        for t in range(LINKAGE_LEAF):
            i = min(bounds[node, 0] + t, bounds[node, 1] - 1)
            leaf_counts[leaf, t] = counts[i] if bounds[node, 0] + t < bounds[node, 1] else 0
            within[node] += leaf_counts[leaf, t]
            for j in range(d):
                leaf_points[leaf, j, t] = points[i, j]
                low[node, j] = min(low[node, j], points[i, j])
                high[node, j] = max(high[node, j], points[i, j])


@kernel
def count_ties(
    sought: Doubles,
    true: Doubles,
    numbers: Scalar,
    leaf_points: Doubles,
    leaf_counts: Integers,
    low: Doubles,
    high: Doubles,
    within: Integers,
    relative: Scalar,
    absolute: Scalar,
    out: Integers,
) -> None:
    """Write, for every record sought, how many records are nearest with the true one, 0 if another is nearer."""
    first_leaf = low.shape[0] // 2
    pending = np.empty(_PENDING, np.int64)
    bound = np.empty(_PENDING)
    distances = np.empty(LINKAGE_LEAF)
    for i in range(sought.shape[0]):
        x = sought[i]
        to_true = _distance(x, true[i], numbers)
        least = to_true
        excluded = False
        pending[0] = 0
        bound[0] = 0.0
        top = 1
        while top > 0 and not excluded:
            top -= 1
            node = pending[top]
            if bound[top] >= least:
                continue
            if node >= first_leaf:
                _leaf_distances(x, leaf_points[node - first_leaf], numbers, distances)
                for t in range(LINKAGE_LEAF):
                    least = min(least, distances[t])
                excluded = to_true > least * relative + absolute
                continue
            left, right = 2 * node + 1, 2 * node + 2
            to_left = _least(x, low[left], high[left], numbers)
            to_right = _least(x, low[right], high[right], numbers)
            if to_left < to_right:
                left, right = right, left
                to_left, to_right = to_right, to_left
            pending[top], bound[top] = left, to_left
            pending[top + 1], bound[top + 1] = right, to_right  # the nearer one is searched first
            top += 2
        out[i] = 0
        if excluded:
            continue
        reach = least * relative + absolute
        pending[0] = 0
        top = 1
        while top > 0:
            top -= 1
            node = pending[top]
            if _least(x, low[node], high[node], numbers) > reach:
                continue
            if _largest(x, low[node], high[node], numbers) <= reach:
                out[i] += within[node]
            elif node < first_leaf:
                pending[top], pending[top + 1] = 2 * node + 1, 2 * node + 2
                top += 2
            else:
                _leaf_distances(x, leaf_points[node - first_leaf], numbers, distances)
                for t in range(LINKAGE_LEAF):
                    if distances[t] <= reach:
                        out[i] += leaf_counts[node - first_leaf, t]
