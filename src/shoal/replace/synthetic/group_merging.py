"""Groups merged with their nearest neighbours until they have room for synthetic values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.replace.synthetic.synthetic import without_extremes

__all__ = ["Merging", "merged_with_nearest"]

Doubles = NDArray[np.float64]
Labels = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Merging:
    """What became of the groups.

    Attributes
    ----------
    groups
        The new group of every record, numbered in the order of the lowest of the old ones in it.
    first
        That old group, of every new one.
    is_merged
        Whether a new group is made of several old ones.
    """

    groups: Labels
    first: Labels
    is_merged: Flags


def merged_with_nearest(
    groups: Labels, values: Doubles, poor: Flags, degrees: Labels, least: int, enough: int
) -> Merging:
    """Merge every poor group with the one whose mean is nearest; the caller looks whether that was enough.

    Parameters
    ----------
    groups
        The group of every record, 0 to g-1, g at least 2.
    values
        The variables by whose standardised means groups are near.
    poor
        Which groups must be merged.
    degrees
        The residual degrees of freedom of every group. Together groups have at least the sum of theirs, since the
        rank of two is at most the sum of their ranks.
    least, enough
        A group that was merged before its turn is left alone once it has so many degrees, or records.
    """
    sizes = np.bincount(groups)
    nearest = _nearest(groups, sizes, values, poor)
    leader = list(range(len(sizes)))
    freedom, records = degrees.tolist(), sizes.tolist()

    def find(group: int) -> int:
        while leader[group] != group:
            leader[group] = leader[leader[group]]
            group = leader[group]
        return group

    for group, neighbour in zip(np.flatnonzero(poor).tolist(), nearest.tolist(), strict=True):
        one, other = find(group), find(neighbour)
        grown = one != group or records[one] > sizes[group]
        if one == other or (grown and (freedom[one] >= least or records[one] >= enough)):
            continue
        low, high = min(one, other), max(one, other)
        leader[high] = low
        freedom[low] += freedom[high]
        records[low] += records[high]
    leaders = np.array([find(group) for group in range(len(sizes))])
    first, place, parts = np.unique(leaders, return_inverse=True, return_counts=True)
    return Merging(place.ravel()[groups], first, parts > 1)


def _nearest(groups: Labels, sizes: Labels, values: Doubles, poor: Flags) -> Labels:
    """Return the nearest other group of every poor one, of several equally near one of them."""
    # Most runs merge nothing and need not wait for this import.
    from scipy.spatial import KDTree  # type: ignore[import-untyped]

    scaled, _ = without_extremes(values)
    spread = scaled.std(axis=0)
    standard = (scaled - scaled.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    means = np.column_stack([np.bincount(groups, weights=column) / sizes for column in standard.T])
    _, found = KDTree(means).query(means[poor], k=2)
    own = found[:, 0] == np.flatnonzero(poor)
    return np.asarray(np.where(own, found[:, 1], found[:, 0]), dtype=np.int64)
