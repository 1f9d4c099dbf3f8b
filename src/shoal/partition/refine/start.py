"""The partition that a search starts from, checked."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from shoal.errors import ParameterError
from shoal.partition.base import Partitioner
from shoal.progress import advance

__all__ = ["labels_of_start"]


def labels_of_start(start: Partitioner | ArrayLike, X: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """Return the groups to start from, numbered 0 to g-1.

    Parameters
    ----------
    start
        A partitioner, or the group of every record as any whole number.
    X
        The records.
    k
        The least number of records in a group.
    """
    if isinstance(start, Partitioner):
        numbers = np.asarray(clone(start).fit(X).labels_)
    else:
        try:
            numbers = np.asarray(start)
        except ValueError:
            raise ParameterError(
                "start must be whole numbers, one for every record; got lists of different lengths in a list."
            ) from None
        advance(1)
    if numbers.ndim != 1 or not np.issubdtype(numbers.dtype, np.integer):
        raise ParameterError(
            f"start must be whole numbers, one for every record; got {numbers.ndim} dimension(s) of {numbers.dtype}."
        )
    if len(numbers) != len(X):
        raise ParameterError(f"start must have a group for each of the {len(X)} records; got {len(numbers)} of them.")
    _, labels, sizes = np.unique(numbers, return_inverse=True, return_counts=True)
    if sizes.min() < k:
        raise ParameterError(
            f"start must have groups of at least k={k} records; {np.count_nonzero(sizes < k)} of its "
            f"{len(sizes)} groups have fewer, the smallest {sizes.min()}. Lower k, or start from another partition."
        )
    return labels.astype(np.int64)
