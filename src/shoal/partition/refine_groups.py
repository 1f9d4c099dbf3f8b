"""The partition as `Refine` keeps it: everything about a group is found without looking at any other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["MOST_GROUPS", "MOST_MOVABLE", "Groups", "Trials", "groups_of", "room_for_trials", "sse_by_group"]

MOST_GROUPS = 32  # that one trial takes
MOST_MOVABLE = 320  # records that one trial moves: their table of distances stays in the cache


class Groups(NamedTuple):
    """A partition with groups of k to 2k-1; `apply_trials` changes it in place.

    Numbers of groups run to n // k, and not all are in use: those that are stand first in `numbers`.
    """

    labels: NDArray[np.int32]  # n
    members: NDArray[np.int32]  # numbers x (2k-1)
    sizes: NDArray[np.int32]  # numbers: 0 if not in use
    sse: NDArray[np.float64]  # numbers: computed anew, from the records, whenever the group changes
    numbers: NDArray[np.int32]
    place: NDArray[np.int32]  # by number: where it stands in `numbers`
    in_use: NDArray[np.int64]  # 1: how many
    changed: NDArray[np.int64]  # by number: the round in which the group last changed


class Trials(NamedTuple):
    """What the trials of one round propose: for each, the groups it takes and how it would part their records."""

    taken: NDArray[np.int32]  # trials x (MOST_GROUPS + 1): numbers of the groups
    counts: NDArray[np.int32]  # trials x 3: groups taken, groups proposed, records
    rows: NDArray[np.int32]  # trials x records
    parts: NDArray[np.int32]  # trials x records: the proposed group, 0 to groups proposed - 1
    sse: NDArray[np.float64]  # trials x (MOST_GROUPS + 1): of the proposed groups
    gain: NDArray[np.float64]  # trials: by how much the sum of squared errors would fall; 0 if that may be rounding
    leeway: NDArray[np.float64]  # trials: how much it may rise, times the tolerance of the moment
    next_trial: NDArray[np.int64]  # 1: the threads take trials from here


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
    )


def sse_by_group(X: NDArray[np.float64], labels: NDArray[np.int64], groups: int) -> NDArray[np.float64]:
    """Return the sum of squared distances to the mean, for every group."""
    sizes = np.maximum(np.bincount(labels, minlength=groups), 1)
    total = np.zeros(groups)
    for column in X.T:
        means = np.bincount(labels, weights=column, minlength=groups) / sizes
        total += np.bincount(labels, weights=(column - means[labels]) ** 2, minlength=groups)
    return total


def room_for_trials(trials: int, k: int) -> Trials:
    """Make room for the proposals of as many trials."""
    records = max(MOST_MOVABLE, 2 * (2 * k - 1))  # two groups fit in any case
    return Trials(
        taken=np.zeros((trials, MOST_GROUPS + 1), dtype=np.int32),
        counts=np.zeros((trials, 3), dtype=np.int32),
        rows=np.zeros((trials, records), dtype=np.int32),
        parts=np.zeros((trials, records), dtype=np.int32),
        sse=np.zeros((trials, MOST_GROUPS + 1)),
        gain=np.zeros(trials),
        leeway=np.zeros(trials),
        next_trial=np.zeros(1, dtype=np.int64),
    )
