"""Sets of keys for records that need many suppressed: those in which they differ from the records nearest to them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.recode.suppression.agreement import Agreement

__all__ = ["nearest_sets"]

Whole64 = NDArray[np.int64]
Doubles = NDArray[np.float64]
Truths = NDArray[np.bool_]

_NEAREST = 200  # combinations that are looked at closely


def nearest_sets(
    agreement: Agreement, rows: Whole64, k: int, importance: Sequence[float], free: Sequence[int]
) -> tuple[Truths, Doubles]:
    """Return a set of keys for some combinations without which k records agree with each, and what any set costs.

    Whoever agrees in the end differs only in keys that are lost. So the set costs at least as much as the keys in which
    the k-th nearest record differs; and the keys in which near records differ, added up until k agree, are a set.

    Parameters
    ----------
    agreement
        The combinations.
    rows
        Those that need a set; losing all free keys has to be enough for them.
    k, importance, free
        As in `wildcard_suppression`.
    """
    costs = np.asarray(importance, dtype=np.float64)
    fixed = np.ones(len(costs), dtype=bool)
    fixed[list(free)] = False
    lost = np.zeros((len(rows), len(costs)), dtype=bool)
    least = np.zeros(len(rows))
    for number, row in enumerate(rows.tolist()):
        own = agreement.table[row]
        differ = (agreement.table != own) & (agreement.table >= 0) & (own >= 0)
        near = np.flatnonzero((agreement.strata == agreement.strata[row]) & ~differ[:, fixed].any(axis=1))
        distance = (differ[near] * costs).sum(axis=1)
        order = np.argsort(distance, kind="stable")
        enough = int(np.searchsorted(np.cumsum(agreement.records[near[order]]), k))
        least[number] = distance[order[enough]]
        close = near[order[: max(_NEAREST, enough + 1)]]
        lost[number] = _added_up(differ[close], agreement.records[close], k, costs)
    return lost, least


def _added_up(differ: Truths, records: Whole64, k: int, costs: Doubles) -> Truths:
    """Return keys in which records differ, the cheapest to add first, until k differ in no others; none too many."""
    chosen = np.zeros(len(costs), dtype=bool)
    while True:
        extra = ((differ & ~chosen) * costs).sum(axis=1)
        if records[extra == 0].sum() >= k:
            break
        extra[extra == 0] = np.inf
        chosen |= differ[int(np.argmin(extra))]
    for key in sorted(np.flatnonzero(chosen).tolist(), key=lambda one: (-costs[one], one)):
        chosen[key] = False
        if records[~(differ & ~chosen).any(axis=1)].sum() < k:
            chosen[key] = True
    return chosen
