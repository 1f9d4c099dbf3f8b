"""The arrays that `Refine` works on, and the sizes that are compiled into its kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["MOST_GROUPS", "MOST_MOVABLE", "USUAL_RECORDS", "Groups", "Proposals"]

MOST_GROUPS = 32  # that one step takes
MOST_MOVABLE = 320  # records that one step moves: their table of distances stays in the cache
USUAL_RECORDS = 160  # in groups of k; fewer groups are taken where these have more


class Groups(NamedTuple):
    """A partition with groups of k to 2k-1; `apply_proposals` changes it in place.

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
    visits: NDArray[np.int32]  # by number: how many steps took the group


class Proposals(NamedTuple):
    """What the steps of one round propose: for each, the groups it takes and how it would part their records."""

    taken: NDArray[np.int32]  # steps x (MOST_GROUPS + 1): numbers of the groups
    counts: NDArray[np.int32]  # steps x 3: groups taken, groups proposed, records
    rows: NDArray[np.int32]  # steps x records
    parts: NDArray[np.int32]  # steps x records: the proposed group, 0 to groups proposed - 1
    sse: NDArray[np.float64]  # steps x (MOST_GROUPS + 1): of the proposed groups
    gain: NDArray[np.float64]  # steps: by how much the sum of squared errors would fall; 0 if that may be rounding
    leeway: NDArray[np.float64]  # steps: how much it may rise, times the tolerance of the moment
    next_step: NDArray[np.int64]  # 1: the threads take the number of their next step from here
