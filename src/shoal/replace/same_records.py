"""Tied variables whose means are over nearly the same records: made to be over the same ones.

Where y is 1.25 x, the mean of x over five records and the mean of y over four of them disclose the fifth value of x.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.replace.members import joined_to_at_least_k

__all__ = ["Behind", "joined_in_any", "over_the_same_records"]


@dataclass(frozen=True, eq=False)
class Behind:
    """Which records are behind the representatives of one variable.

    Attributes
    ----------
    labels
        The group of every record for this variable; -1 for a record in no group.
    counted
        Whether the record's value counts in the representative of its group.
    """

    labels: NDArray[np.int64]
    counted: NDArray[np.bool_]


def over_the_same_records(
    tied: Mapping[str, Behind],
    labels: NDArray[np.int64],
    centres: NDArray[np.float64],
    k: int,
    part_of_group: NDArray[np.int64],
    units: NDArray[np.int64] | None = None,
) -> dict[str, Behind]:
    """Return what is behind each of some tied variables, so that no two means differ by fewer than k records.

    In a group where the records with one variable observed and another not are fewer than `k`, but not none, only the
    records with all of them observed count, for each of the variables; such groups are joined to their neighbours until
    there are `k` of these.

    Parameters
    ----------
    tied
        What is behind each variable on its own, at least `k` records in every group.
    labels, centres, k, part_of_group, units
        As in `joined_to_at_least_k`.
    """
    joint = joined_in_any(tied, labels, len(part_of_group))
    unsafe = _differ_by_few(tied, joint, k, len(part_of_group))
    if not unsafe.any():
        return dict(tied)
    in_all = np.all([one.counted for one in tied.values()], axis=0)
    joined = joined_to_at_least_k(joint, in_all, centres, k, part_of_group, unsafe, units)
    mended = np.zeros(len(part_of_group), dtype=bool)
    mended[joined[(joint >= 0) & unsafe[joint]]] = True
    inside = (joined >= 0) & mended[joined]
    return {
        name: Behind(np.where(inside, joined, one.labels), one.counted & (in_all | ~inside))
        for name, one in tied.items()
    }


def joined_in_any(tied: Mapping[str, Behind], labels: NDArray[np.int64], groups: int) -> NDArray[np.int64]:
    """Return labels in which groups are joined that are joined for any of the variables."""
    from scipy.sparse import coo_array  # type: ignore[import-untyped]  # here, to keep start-up quick
    from scipy.sparse.csgraph import connected_components  # type: ignore[import-untyped]

    records = np.flatnonzero(labels >= 0)
    pairs = [np.column_stack([labels[records], one.labels[records]]) for one in tied.values()]
    first, second = np.unique(np.concatenate(pairs), axis=0).T
    linked = coo_array((np.ones(len(first), dtype=bool), (first, second)), shape=(groups, groups))
    component = connected_components(linked, directed=False)[1]
    lowest = np.unique(component, return_index=True)[1]
    joint = np.full_like(labels, -1)
    joint[records] = lowest[component[labels[records]]]
    return joint


def _differ_by_few(tied: Mapping[str, Behind], joint: NDArray[np.int64], k: int, groups: int) -> NDArray[np.bool_]:
    """Return in which groups some variable counts fewer than k records, but not none, that another does not."""
    patterns = np.unique([one.counted for one in tied.values()], axis=0)
    few = np.zeros(groups, dtype=bool)
    for these in patterns:
        for those in patterns:
            differ = np.bincount(joint[these & ~those & (joint >= 0)], minlength=groups)
            few |= (differ > 0) & (differ < k)
    return few
