"""Groups of at least k out of a whole tree of merges."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["finest_cut"]


def finest_cut(children: NDArray[np.integer[Any]], k: int) -> NDArray[np.int64]:
    """Return the cluster that every record is in, of the most clusters of at least k that the tree can be cut into.

    From the last merge down, a cluster is cut into the two it was merged of where both have at least k records. No
    other way to cut gives more groups, as every cluster of at least k is then cut as far as it can be.

    Parameters
    ----------
    children
        The two clusters of each of the n - 1 merges; the records are 0 to n-1, and merge i makes n + i.
    k
        The least number of records in a group, at most n.
    """
    n = len(children) + 1
    size = np.ones(2 * n - 1, dtype=np.int64)
    for merge, (a, b) in enumerate(children):
        size[n + merge] = size[a] + size[b]
    group = np.arange(2 * n - 1)
    for merge in reversed(range(n - 1)):
        is_group = group[n + merge] == n + merge
        if not is_group or size[children[merge]].min() < k:
            group[children[merge]] = group[n + merge]
    return group[:n]
