"""The kernel that finds the nearest records of many records."""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, inner_kernel, kernel
from shoal.partition.kernels.squared_distance import squared_distance
from shoal.partition.kernels.tree import Tree
from shoal.partition.kernels.tree_search import nearest, to_tree


@inner_kernel
def _take_place_of_nearest(X: Doubles, rows: Integers, start: Scalar, stop: Scalar, point: Doubles) -> None:
    """Bring the nearest of ``rows[start:stop]`` to the front of them; the others stay in order."""
    place = start
    least = np.inf
    for i in range(start, stop):
        distance = squared_distance(X, rows[i], point)
        if distance < least:
            least = distance
            place = i
    nearest = rows[place]
    for i in range(place, start, -1):
        rows[i] = rows[i - 1]
    rows[start] = nearest


@kernel
def walk_to_nearest(X: Doubles, rows: Integers, ends: Integers, entrances: Doubles) -> None:
    """Put stretches of `rows` into the order of a walk that always goes on to the nearest record.

    Stretch i ends before ``ends[i]`` and is entered at the record nearest to ``entrances[i]``. In every stretch the
    rows have to ascend at first: so of records equally near the one with the lowest row number is taken.
    """
    start = 0
    for stretch in range(ends.shape[0]):
        stop = ends[stretch]
        for i in range(start, stop):
            if i == start:
                _take_place_of_nearest(X, rows, i, stop, entrances[stretch])
            else:
                _take_place_of_nearest(X, rows, i, stop, X[rows[i - 1]])
        start = stop


@inner_kernel
def _write_sums(x: Doubles, y: Doubles, numbers: Scalar, before: Doubles, after: Doubles) -> None:
    """Write the squared distance in all columns before each, and in all columns from each on; a mismatch adds 2."""
    d = x.shape[0]
    after[d] = 0.0
    for j in range(d):
        apart = (x[j] - y[j]) * (x[j] - y[j]) if j < numbers else 2.0 * (x[j] != y[j])
        before[j + 1] = before[j] + apart
        after[j] = apart
    for j in range(d - 1, -1, -1):
        after[j] += after[j + 1]


@inner_kernel
def _least_possible(x: Doubles, y: Doubles, numbers: Scalar) -> Scalar:
    """Return a squared distance that no search can be below: without the column that differs most."""
    total, most = 0.0, 0.0
    for j in range(numbers):
        apart = (x[j] - y[j]) * (x[j] - y[j])
        total += apart
        most = max(most, apart)
    for j in range(numbers, x.shape[0]):
        total += 2.0 * (x[j] != y[j])
    return total * (1 - 1e-12) - max(most, 2.0)


@kernel
def write_nearest_known(
    sought: Doubles, searched: Doubles, own: Integers, numbers: Scalar, left_out: Integers, out: Integers
) -> None:
    """Write the places of the nearest records, nearest first, of equally near ones the first.

    `left_out` has, for every search, the column that is not looked at, or -1; `own` the place that is passed over for
    every record sought, or -1. The first `numbers` columns hold numbers, the others codes. `out` is of the records
    sought x searches x how many are wanted, which are fewer than there are.
    """
    d, searches, wanted = sought.shape[1], out.shape[1], out.shape[2]
    before, after = np.zeros(d + 1), np.zeros(d + 1)
    least = np.empty((searches, wanted))
    for i in range(sought.shape[0]):
        least[:] = np.inf
        farthest = np.inf  # of those found, over all searches
        for r in range(searched.shape[0]):
            if r == own[i] or _least_possible(sought[i], searched[r], numbers) >= farthest:
                continue
            _write_sums(sought[i], searched[r], numbers, before, after)
            for s in range(searches):
                j = left_out[s]
                distance = before[j] + after[j + 1] if j >= 0 else before[d]
                if distance < least[s, wanted - 1]:
                    place = wanted - 1
                    while place > 0 and distance < least[s, place - 1]:
                        least[s, place] = least[s, place - 1]
                        out[i, s, place] = out[i, s, place - 1]
                        place -= 1
                    least[s, place] = distance
                    out[i, s, place] = r
            farthest = least[:, wanted - 1].max()


@kernel
def find_nearest(tree: Tree, X: Doubles, points: Doubles, rows: Integers, distances: Doubles) -> None:
    """Fill one line for each of the points: the nearest records of `X` and their squared distances, in no order."""
    image = np.empty(X.shape[1], tree.points.dtype)
    for t in range(points.shape[0]):
        to_tree(tree, points[t], image)
        nearest(tree, X, points[t], image, distances[t], rows[t])
