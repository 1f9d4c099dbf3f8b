"""Kernels for paths that go on to the nearest record not yet visited."""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, inner_kernel, kernel
from shoal.partition.kernels.squared_distance import squared_distance


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
