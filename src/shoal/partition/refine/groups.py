"""The partition in the form `Refine` works on: all about a group is at hand without looking at any other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.partition.geometry.squared_errors import sse_by_group
from shoal.partition.kernels.refine_groups import MOST_GROUPS, MOST_MOVABLE, Groups, Proposals
from shoal.partition.mdav.mdav import MDAV
from shoal.progress import share

__all__ = ["copy_of", "groups_of", "room_for_proposals", "split_large"]


def groups_of(X: NDArray[np.float64], labels: NDArray[np.int64], k: int) -> Groups:
    """Bring a partition with groups of k to 2k-1, labels 0 to g-1, into the form for the search."""
    n, most = len(labels), len(labels) // k
    sizes = np.bincount(labels, minlength=most).astype(np.int32)
    first = np.cumsum(sizes) - sizes
    by_group = np.argsort(labels, kind="stable").astype(np.int32)
    position = np.arange(n) - first[labels[by_group]]
    members = np.zeros((most, 2 * k - 1), dtype=np.int32)
    members[labels[by_group], position] = by_group
    return Groups(
        labels=labels.astype(np.int32),
        members=members,
        sizes=sizes,
        sse=sse_by_group(X, labels, most),
        numbers=np.arange(most, dtype=np.int32),
        place=np.arange(most, dtype=np.int32),
        in_use=np.array([labels.max() + 1], dtype=np.int64),
        changed=np.full(most, -1, dtype=np.int64),
        visits=np.zeros(most, dtype=np.int32),
    )


def copy_of(groups: Groups) -> Groups:
    """Return the same partition in arrays of its own."""
    arrays: tuple[NDArray[Any], ...] = groups
    return Groups._make(array.copy() for array in arrays)


def split_large(X: NDArray[np.float64], labels: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Split the groups of 2k records and more into groups of k to 2k-1, which makes no partition worse."""
    labels = labels.copy()
    sizes = np.bincount(labels)
    groups = len(sizes)
    with share(0):
        for group in np.flatnonzero(sizes >= 2 * k):
            members = np.flatnonzero(labels == group)
            parts = MDAV(k).fit(X[members]).labels_
            labels[members] = np.where(parts == 0, group, groups + parts - 1)
            groups += parts.max()
    return labels


def room_for_proposals(steps: int, k: int) -> Proposals:
    """Return room for the proposals of that many steps."""
    records = max(MOST_MOVABLE, 2 * (2 * k - 1))  # two groups fit in any case
    return Proposals(
        taken=np.zeros((steps, MOST_GROUPS + 1), dtype=np.int32),
        counts=np.zeros((steps, 3), dtype=np.int32),
        rows=np.zeros((steps, records), dtype=np.int32),
        parts=np.zeros((steps, records), dtype=np.int32),
        sse=np.zeros((steps, MOST_GROUPS + 1)),
        gain=np.zeros(steps),
        leeway=np.zeros(steps),
        next_step=np.zeros(1, dtype=np.int64),
    )
