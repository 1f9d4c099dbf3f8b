"""Groups in which at least k different units (households, firms) have records."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.partition.geometry.neighbours import nearest_records
from shoal.partition.geometry.squared_distances import centroids_of

__all__ = ["count_units", "most_groups", "with_k_units"]

_NEAR = 16  # groups that records are moved from and swapped with


def count_units(labels: NDArray[np.int64], units: NDArray[np.int64], groups: int | None = None) -> NDArray[np.int64]:
    """Return for every group, 0 to g-1, how many different units its records are of; the label -1 is no group."""
    grouped = labels >= 0
    numbers = int(units.max(initial=0)) + 1
    pairs = np.unique(labels[grouped] * numbers + units[grouped])
    return np.bincount(pairs // numbers, minlength=groups or 0).astype(np.int64)


def most_groups(units: NDArray[np.int64], k: int) -> int:
    """Return how many groups there can be, at most, so that each has records of `k` different units.

    A unit with s records is in min(s, g) of g groups, and all units together have to be in k g of them or more.
    """
    sizes = np.bincount(units)
    low, high = 0, len(units) // k
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if np.minimum(sizes, middle).sum() >= k * middle else (low, middle - 1)
    return low


def with_k_units(
    X: NDArray[np.float64],
    labels: NDArray[np.int64],
    units: NDArray[np.int64] | None,
    k: int,
    rows: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return groups like these in which at least `k` different units have records; the same where all do already.

    Groups that have too few take in records of other units, moved from groups near them or swapped with them, or are
    dissolved; groups that were changed are then improved in the same way.

    Parameters
    ----------
    X
        Records as points, none of them with a missing value.
    labels
        The group, 0 to g-1, of each of the records that `rows` are.
    units
        The unit of every record; `rows` are of at least `k` of them. None where every record is one.
    rows
        The records that are grouped.
    """
    if units is None:
        return labels
    units = units[rows]
    groups = int(labels.max()) + 1
    if count_units(labels, units, groups).min() >= k:
        return labels
    if most_groups(units, k) == 1 or groups == 1:
        return np.zeros_like(labels)
    from shoal.partition.kernels.different_units import give_units  # here, because numba takes a second to import

    points = np.ascontiguousarray(X[rows])
    centres = centroids_of(points, labels)
    if groups <= _NEAR:  # all of them; a tree for each of thousands of small parts takes most of the time
        near = np.tile(np.arange(groups), (groups, 1))
    else:
        near = nearest_records(centres, _NEAR).astype(np.int64)
    numbers, unit = np.unique(units, return_inverse=True)
    changed = labels.astype(np.int64)
    give_units(points, unit.reshape(-1).astype(np.int64), len(numbers), k, near, changed, centres)
    return np.unique(changed, return_inverse=True)[1].reshape(-1).astype(np.int64)
