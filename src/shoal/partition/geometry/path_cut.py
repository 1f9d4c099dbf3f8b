"""Cuts a path through the records into groups of k to 2k-1 neighbours, with the least sum of squared errors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.progress import advance

__all__ = ["cut_path"]

_STEPS = 20


def cut_path(X: NDArray[np.float64], order: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Return the label of every record, numbered along the path; this counts for the whole of the work.

    Parameters
    ----------
    X
        The records, at least k.
    order
        The rows of `X` in the order of the path.
    k
        The least number of records in a group. Larger groups than 2k-1 are never better: two of them are.
    """
    # Imported here because numba takes a second to import.
    from shoal.partition.kernels.path_cut import extend_best_cuts, label_along_path

    n = len(X)
    path = X[order]
    least = np.zeros(n + 1)
    group_size = np.zeros(n + 1, dtype=np.int64)
    for step in range(_STEPS):
        extend_best_cuts(path, k, least, group_size, n * step // _STEPS, n * (step + 1) // _STEPS)
        advance(1 / _STEPS)
    labels = np.empty(n, dtype=np.int64)
    label_along_path(group_size, order, labels)
    return labels
